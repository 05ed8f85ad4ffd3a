#!/usr/bin/env python3
"""Assembly of the forward attention kernel of Triton's tutorial, head dimension 128, for both AMD machines, without a GPU.

One file for each configuration that its tutorial tries on AMD machines and for two stages more: bf16, causal and not. Triton comes from
PyPI (`pip install triton`).

    bench/attention/triton_loops.py folder
    bench/attention/loops.py folder
"""
import pathlib
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def inner(acc, l_i, m_i, q, k_at, v_at, stride, scale, lo, hi, MASKED: tl.constexpr, offs_m, offs_n, N: tl.constexpr):
    for start in tl.range(lo, hi, N):
        start = tl.multiple_of(start, N)
        k = tl.load(k_at + start * stride)
        qk = tl.dot(q, k)
        if MASKED:
            mask = offs_m[:, None] >= (start + offs_n[None, :])
            qk = qk * scale + tl.where(mask, 0, -1.0e6)
            m_ij = tl.maximum(m_i, tl.max(qk, 1))
            qk -= m_ij[:, None]
        else:
            m_ij = tl.maximum(m_i, tl.max(qk, 1) * scale)
            qk = qk * scale - m_ij[:, None]
        p = tl.math.exp2(qk)
        alpha = tl.math.exp2(m_i - m_ij)
        l_ij = tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(v_at + start * stride)
        acc = tl.dot(p.to(tl.bfloat16), v, acc)
        l_i = l_i * alpha + l_ij
        m_i = m_ij
    return acc, l_i, m_i


@triton.jit
def forward(Q, K, V, O, scale, tokens, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr):
    start_m = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64) * tokens * D
    offs_m = start_m * M + tl.arange(0, M)
    offs_n = tl.arange(0, N)
    offs_d = tl.arange(0, D)
    q = tl.load(Q + head + offs_m[:, None] * D + offs_d[None, :])
    k_at = K + head + offs_n[None, :] * D + offs_d[:, None]
    v_at = V + head + offs_n[:, None] * D + offs_d[None, :]
    m_i = tl.zeros([M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([M], dtype=tl.float32) + 1.0
    acc = tl.zeros([M, D], dtype=tl.float32)
    scale *= 1.44269504
    if CAUSAL:
        acc, l_i, m_i = inner(acc, l_i, m_i, q, k_at, v_at, D, scale, 0, start_m * M, False, offs_m, offs_n, N)
        acc, l_i, m_i = inner(acc, l_i, m_i, q, k_at, v_at, D, scale, start_m * M, (start_m + 1) * M, True, offs_m, offs_n, N)
    else:
        acc, l_i, m_i = inner(acc, l_i, m_i, q, k_at, v_at, D, scale, 0, tokens, False, offs_m, offs_n, N)
    acc = acc / l_i[:, None]
    tl.store(O + head + offs_m[:, None] * D + offs_d[None, :], acc.to(tl.bfloat16))


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(exist_ok=True)
    for arch in ("gfx942", "gfx950"):
        for causal in (False, True):
            for m, n, warps, stages in ((m, n, w, s) for m in (64, 128) for n in (32, 64, 128) for w in (4, 8) for s in (1, 2)):
                name = f"{arch}-{'causal' if causal else 'plain'}-{m}x{n}-w{warps}-s{stages}"
                source = ASTSource(
                    fn=forward,
                    signature={"Q": "*bf16", "K": "*bf16", "V": "*bf16", "O": "*bf16", "scale": "fp32", "tokens": "i32",
                               "M": "constexpr", "N": "constexpr", "D": "constexpr", "CAUSAL": "constexpr"},
                    constexprs={"M": m, "N": n, "D": 128, "CAUSAL": causal},
                    attrs={(i,): [["tt.divisibility", 16]] for i in (0, 1, 2, 3, 5)})
                try:
                    kernel = triton.compile(source, target=GPUTarget("hip", arch, 64),
                                            options={"num_warps": warps, "num_stages": stages, "waves_per_eu": 0})
                    (out / f"{name}.s").write_text(kernel.asm["amdgcn"])
                    (out / f"{name}.lds").write_text(str(kernel.metadata.shared))
                    print(name, kernel.metadata.shared, flush=True)
                except Exception as error:
                    print(name, "failed:", str(error).splitlines()[:1], flush=True)


main()
