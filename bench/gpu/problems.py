"""Data of the rows, who computes them, and references in float64 on the GPU. Normal data, three inputs that rotate, or as many as make
1 GB where launches are chained."""
import math

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from libraries import Cublas

CHAIN_BYTES = 1 << 30


def normal(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device="cuda").to(dtype)


def as_float64(tensor):
    return tensor.float().double() if tensor.element_size() == 1 else tensor.double()


class Contestant:
    """`launch(i)` enqueues the work for input i; what it wrote is `output(i)`."""

    def __init__(self, name, launch, output):
        self.name, self.launch, self.output = name, launch, output


class Problem:
    """Inputs and outputs of a row. Work is counted in `flops` and in `bytes`: each input read once, each output written once."""

    flops = 0

    def __init__(self, row, weights):
        least = 3
        self.row = row
        self.count = max(least, math.ceil(CHAIN_BYTES / weights)) if row.chained else least
        self.inputs = [self.draw() for _ in range(self.count)]
        self.outputs = [self.empty() for _ in range(self.count)]
        first = self.inputs[0]
        self.bytes = sum(t.numel() * t.element_size() for t in (*first, self.outputs[0]))

    def poison(self):
        for output in self.outputs:
            output.fill_(float("nan"))

    def arguments(self, i):
        """In the order of the program."""
        return (*self.inputs[i], self.outputs[i])

    def error(self, i, got):
        """The norm of the difference over the norm of the reference; what is not a number is infinite."""
        squares = total = 0.0
        for part, reference in self.reference(i, got):
            squares += float((part.double() - reference).square().sum())
            total += float(reference.square().sum())
        error = math.sqrt(squares / total)
        return error if math.isfinite(error) else math.inf

    def in_place(self, name, compute):
        """torch, which allocates its result: inside of a graph, from the graph's own memory."""
        results = {}

        def launch(i):
            results[i] = compute(*self.inputs[i])

        return Contestant(name, launch, lambda i: results[i])


class Product(Problem):
    """c = a * b^T, a * b or a^T * b."""

    def __init__(self, row):
        s = row.sizes
        self.m, self.n, self.k = s["M"], s["N"], s["K"]
        self.dtype = getattr(torch, row.dtype)
        self.flops = 2 * self.m * self.n * self.k
        super().__init__(row, self.n * self.k * torch.empty(0, dtype=self.dtype).element_size())

    def draw(self):
        left = (self.k, self.m) if self.row.left_across else (self.m, self.k)
        right = (self.k, self.n) if self.row.across else (self.n, self.k)
        return normal(*left, dtype=self.dtype), normal(*right, dtype=self.dtype)

    def empty(self):
        return torch.empty(self.m, self.n, dtype=torch.bfloat16, device="cuda")

    def reference(self, i, got):
        a, b = map(as_float64, self.inputs[i])
        yield got, (a.t() if self.row.left_across else a) @ (b if self.row.across else b.t())

    def rivals(self, time):
        """cuBLASLt with the fastest of its first heuristics, which `time` finds out."""
        cublas = Cublas(self.m, self.n, self.k, self.dtype, torch.bfloat16, self.row.fast, self.row.across, self.row.left_across)
        contestant = Contestant("cuBLASLt", lambda i: cublas.launch(*self.arguments(i)), lambda i: self.outputs[i])
        times = []
        for number in range(len(cublas.algorithms)):
            cublas.chosen = number
            times.append(time(contestant))
        cublas.chosen = times.index(min(times))
        return [contestant]


class BlockScaled(Product):
    """c = a * b^T, where each 128 of a row of a have a scale, and each 128 x 128 of b."""

    BLOCK = 128

    def draw(self):
        blocks = [math.ceil(side / self.BLOCK) for side in (self.n, self.k)]
        scales = (torch.rand(blocks[1], self.m, device="cuda") + 0.5, torch.rand(*blocks, device="cuda") + 0.5)
        return normal(self.m, self.k, dtype=self.dtype), normal(self.n, self.k, dtype=self.dtype), *scales

    def spread(self, scales, *dims):
        for dim in dims:
            scales = scales.repeat_interleave(self.BLOCK, dim)
        return scales.double()

    def reference(self, i, got):
        a, b, by_row, by_block = self.inputs[i]
        left = as_float64(a) * self.spread(by_row.t(), 1)[:, :self.k]
        yield got, left @ (as_float64(b) * self.spread(by_block, 0, 1)[:self.n, :self.k]).t()

    @staticmethod
    def scaled(a, b, by_row, by_block):
        return torch._scaled_mm(a, b.t(), scale_a=by_row.t(), scale_b=by_block.t(), out_dtype=torch.bfloat16)

    def rivals(self, time):
        return [self.in_place("torch scaled_mm", self.scaled)]


class Int4Weights(Product):
    """c = a * b^T, where b has four bits an element, two in a byte, and a scale for each 128 of a row."""

    BLOCK = 128

    def draw(self):
        scales = (torch.rand(math.ceil(self.k / self.BLOCK), self.n, device="cuda") + 0.5).bfloat16().float()
        return normal(self.m, self.k), torch.randint(-128, 128, (self.n, self.k // 2), dtype=torch.int8, device="cuda"), scales

    @staticmethod
    def halves(packed):
        """The numbers of the lower and the upper halves of bytes, 0 to 15 for -8 to 7."""
        low, high = packed & 15, (packed >> 4) & 15
        return low ^ 8, high ^ 8

    def weights(self, i):
        _, packed, scales = self.inputs[i]
        numbers = torch.stack(self.halves(packed), -1).reshape(self.n, self.k) - 8
        return numbers.double() * scales.t().repeat_interleave(self.BLOCK, 1)[:, :self.k]

    def reference(self, i, got):
        yield got, self.inputs[i][0].double() @ self.weights(i).t()

    def for_torch(self, i):
        """Weights, and scales beside zeros, as torch's kernel takes them."""
        _, packed, scales = self.inputs[i]
        low, high = self.halves(packed)
        weights = torch.ops.aten._convert_weight_to_int4pack(((low << 4) | high).to(torch.uint8), 8)
        return weights, torch.stack((scales, torch.zeros_like(scales)), -1).bfloat16().contiguous()

    def rivals(self, time):
        """torch's product of weights of four bits, and of as many of 16, by cuBLAS."""
        packed = [self.for_torch(i) for i in range(self.count)]
        wide = [self.weights(i).bfloat16() for i in range(self.count)]

        def contestant(name, compute):
            results = {}

            def launch(i):
                results[i] = compute(i)

            return Contestant(name, launch, lambda i: results[i])

        return [contestant("torch int4", lambda i: torch.ops.aten._weight_int4pack_mm(self.inputs[i][0], packed[i][0], self.BLOCK, packed[i][1])),
                contestant("torch bf16", lambda i: F.linear(self.inputs[i][0], wide[i]))]


class Experts(Problem):
    """y = x * w^T for each of E experts; `gated`, silu(x * gate^T) * (x * up^T)."""

    CHECKED_EXPERTS = 4
    SIDES = 1

    def __init__(self, row):
        s = row.sizes
        self.e, self.m, self.n, self.k = s["E"], s["M"], s["N"], s["K"]
        self.flops = 2 * self.SIDES * self.e * self.m * self.n * self.k
        super().__init__(row, 1)

    def draw(self):
        return normal(self.e, self.m, self.k), *(normal(self.e, self.n, self.k) for _ in range(self.SIDES))

    def empty(self):
        return torch.empty(self.e, self.m, self.n, dtype=torch.bfloat16, device="cuda")

    @staticmethod
    def formula(x, w):
        return x @ w.transpose(-1, -2)

    def reference(self, i, got):
        for expert in range(0, self.e, max(1, self.e // self.CHECKED_EXPERTS)):
            yield got.reshape(self.e, self.m, self.n)[expert], self.formula(*(t[expert].double() for t in self.inputs[i]))

    def grouped(self, x, *weights):
        """The experts as groups of rows of one matrix."""
        ends = torch.arange(1, self.e + 1, dtype=torch.int32, device="cuda") * self.m
        rows = x.reshape(self.e * self.m, self.k)
        return self.combine(*(torch._grouped_mm(rows, w.transpose(1, 2), ends) for w in weights))

    @staticmethod
    def combine(product):
        return product

    def rivals(self, time):
        return [self.in_place("torch bmm", self.formula), self.in_place("torch grouped", self.grouped)]


class GatedExperts(Experts):
    SIDES = 2

    @staticmethod
    def combine(gated, up):
        return F.silu(gated) * up

    @classmethod
    def formula(cls, x, gate, up):
        return cls.combine(x @ gate.transpose(-1, -2), x @ up.transpose(-1, -2))


BACKENDS = {"SDPA flash": SDPBackend.FLASH_ATTENTION, "SDPA cuDNN": SDPBackend.CUDNN_ATTENTION,
            "SDPA efficient": SDPBackend.EFFICIENT_ATTENTION}


def attention_rivals(problem, causal):
    """torch's scaled_dot_product_attention, by each of its backends."""
    def backend(which):
        def compute(q, k, v):
            with sdpa_kernel(which):
                return F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=causal)
        return compute
    return [problem.in_place(name, backend(which)) for name, which in BACKENDS.items()]


class Attention(Problem):
    """o = softmax(q k^T / sqrt(D)) v for each head, q, k and v of H x T x D."""

    DEPTH = 128
    CHECKED_HEADS = 2

    def __init__(self, row):
        self.h, self.t = row.sizes["H"], row.sizes["T"]
        self.flops = 4 * self.h * self.t * self.t * self.DEPTH // (2 if row.causal else 1)
        super().__init__(row, 1)

    def draw(self):
        return tuple(normal(self.h, self.t, self.DEPTH) for _ in range(3))

    def empty(self):
        return torch.empty(self.h, self.t, self.DEPTH, dtype=torch.bfloat16, device="cuda")

    def reference(self, i, got):
        got = got.reshape(self.h, self.t, self.DEPTH)
        block = 2048
        for head in range(0, self.h, self.h // self.CHECKED_HEADS):
            q, k, v = (t[head].double() for t in self.inputs[i])
            for row in range(0, self.t, block):
                scores = q[row:row + block] @ k.t() / math.sqrt(self.DEPTH)
                if self.row.causal:
                    hidden = torch.ones_like(scores, dtype=torch.bool).triu(row + 1)
                    scores.masked_fill_(hidden, -math.inf)
                yield got[head, row:row + block], scores.softmax(-1) @ v

    def rivals(self, time):
        return attention_rivals(self, self.row.causal)


class Decode(Problem):
    """o = softmax(q k^T / sqrt(D)) v for each head: eight queries of H x 8 x D share keys and values of H x T x D."""

    DEPTH, QUERIES = 128, 8

    def __init__(self, row):
        self.h, self.t = row.sizes["H"], row.sizes["T"]
        super().__init__(row, 1)

    def draw(self):
        return (normal(self.h, self.QUERIES, self.DEPTH), *(normal(self.h, self.t, self.DEPTH) for _ in range(2)))

    def empty(self):
        return torch.empty(self.h, self.QUERIES, self.DEPTH, dtype=torch.bfloat16, device="cuda")

    def reference(self, i, got):
        for head in range(self.h):
            q, k, v = (t[head].double() for t in self.inputs[i])
            yield got.reshape(self.h, self.QUERIES, self.DEPTH)[head], (q @ k.t() / math.sqrt(self.DEPTH)).softmax(-1) @ v

    def rivals(self, time):
        return attention_rivals(self, causal=False)


class Qwen3Layer(Problem):
    """The next token of each of B sequences through a layer of Qwen3-8B: norms, RoPE, a cache, attention of 4 heads of queries for each of
    keys, a gated MLP. Weights are read once."""

    DEPTH, QUERIES = 128, 4

    def __init__(self, row):
        s = row.sizes
        self.b, self.s, self.d, self.h, self.f = s["B"], s["S"], s["D"], s["H"], s["F"]
        super().__init__(row, 1)

    def draw(self):
        def weights(rows, columns):
            return normal(rows, columns, dtype=torch.float32).div_(math.sqrt(columns)).bfloat16()

        def gamma(width):
            return (1 + 0.1 * normal(width, dtype=torch.float32)).bfloat16()

        angles = torch.rand(self.s, self.DEPTH // 2, device="cuda") * 6
        positions = torch.full((self.b,), self.s - 1, dtype=torch.int32, device="cuda")
        cache = [normal(self.b, self.h, self.s, self.DEPTH) for _ in range(2)]
        heads = self.QUERIES * self.h * self.DEPTH
        return (normal(self.b, self.d), positions, angles.cos(), angles.sin(), *cache, gamma(self.d), gamma(self.DEPTH), gamma(self.DEPTH), gamma(self.d),
                weights(heads + 2 * self.h * self.DEPTH, self.d), weights(self.d, heads), weights(self.f, self.d), weights(self.f, self.d),
                weights(self.d, self.f))

    def empty(self):
        return torch.empty(self.b, self.d, dtype=torch.bfloat16, device="cuda")

    def rotated(self, x, gamma, positions, cosines, sines):
        """Norm and RoPE of B x heads x D."""
        x = F.rms_norm(x, (self.DEPTH,), gamma.to(x.dtype), eps=1e-6)
        left, right = x.chunk(2, -1)
        cos, sin = (t[positions][:, None].to(x.dtype) for t in (cosines, sines))
        return torch.cat((left * cos - right * sin, right * cos + left * sin), -1)

    def formula(self, x, positions, cosines, sines, keys, values, gamma1, gamma_q, gamma_k, gamma2, qkv, proj, gate, up, down):
        n = self.QUERIES * self.h
        heads = F.linear(F.rms_norm(x, (self.d,), gamma1, eps=1e-6), qkv).view(self.b, -1, self.DEPTH)
        q = self.rotated(heads[:, :n], gamma_q, positions, cosines, sines)
        sequences = torch.arange(self.b, device="cuda")
        keys[sequences, :, positions] = self.rotated(heads[:, n:n + self.h], gamma_k, positions, cosines, sines)
        values[sequences, :, positions] = heads[:, n + self.h:]
        # All sequences are as long as the cache, so that nothing is masked.
        attended = F.scaled_dot_product_attention(q[:, :, None], keys, values, enable_gqa=True)
        h = x + F.linear(attended.reshape(self.b, -1), proj)
        normed = F.rms_norm(h, (self.d,), gamma2, eps=1e-6)
        return h + F.linear(F.silu(F.linear(normed, gate)) * F.linear(normed, up), down)

    def reference(self, i, got):
        x, positions, *rest = self.inputs[i]
        yield got, self.formula(x.double(), positions, *(t.double() for t in rest))

    def rivals(self, time):
        compiled = torch.compile(self.formula, dynamic=False)
        return [self.in_place("torch", self.formula), self.in_place("torch compiled", compiled)]


class Rowwise(Problem):
    """M x N to M x N, or N x M."""

    def __init__(self, row):
        self.m, self.n = row.sizes["M"], row.sizes.get("N", 1024)
        super().__init__(row, 1)

    def draw(self):
        return (normal(self.m, self.n),)

    def empty(self):
        return torch.empty(self.m, self.n, dtype=torch.bfloat16, device="cuda")

    def reference(self, i, got):
        yield got, self.formula(*(t.double() for t in self.inputs[i]))

    def rivals(self, time):
        return [self.in_place("torch", self.formula)]


class Softmax(Rowwise):
    @staticmethod
    def formula(x):
        return x.softmax(-1)


class RmsNorm(Rowwise):
    def draw(self):
        return normal(self.m, self.n), normal(self.n)

    def formula(self, x, gamma):
        return F.rms_norm(x, (self.n,), gamma, eps=1e-6)


class LayerNorm(Rowwise):
    def draw(self):
        return normal(self.m, self.n), normal(self.n, dtype=torch.float32), normal(self.n, dtype=torch.float32)

    def formula(self, x, gamma, beta):
        return F.layer_norm(x, (self.n,), gamma.to(x.dtype), beta.to(x.dtype), eps=1e-5)


class Elementwise(Rowwise):
    """residual + scale * gelu(x + bias)"""

    def draw(self):
        return (normal(self.m, self.n), normal(self.m, self.n), normal(self.n, dtype=torch.float32), normal(self.n, dtype=torch.float32))

    @staticmethod
    def formula(x, residual, bias, scale):
        # In f32 at least, rounded once: as the program computes.
        wide = torch.promote_types(x.dtype, torch.float32)
        result = residual.to(wide) + scale.to(wide) * F.gelu(x.to(wide) + bias.to(wide), approximate="tanh")
        return result.to(x.dtype)


class Transpose(Rowwise):
    def empty(self):
        return torch.empty(self.n, self.m, dtype=torch.bfloat16, device="cuda")

    @staticmethod
    def formula(x):
        return x.t().contiguous()


KINDS = {"product": Product, "block_scaled": BlockScaled, "int4": Int4Weights, "experts": Experts, "experts_gated": GatedExperts, "attention": Attention, "decode": Decode, "qwen3_layer": Qwen3Layer,
         "softmax": Softmax, "rms_norm": RmsNorm, "layer_norm": LayerNorm, "elementwise": Elementwise, "transpose": Transpose}
