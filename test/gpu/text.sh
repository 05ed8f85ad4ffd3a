#!/bin/sh
# What runs on an NVIDIA GPU compiles: the runtime, tilec-runner and generated text for sm_90a: text.sh TILEC. It fails where
# registers spill, where ptxas could not keep an instruction asynchronous, and where memory is accessed in front of the end
# of the kernel before. With TILEC_FULL=1 also attention and examples 03, 05 and 06.
set -eu
tilec=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
while read -r program world pattern; do
  [ -n "$program" ] || continue
  "$tilec" "$root/examples/$program" --target sm_90a --world "$world" ${pattern:+--pattern "$pattern"} \
    -o "$out/programs/$(basename "$program" .mlir)${pattern:+-$pattern}"
done <<END
01_put_get/put_get.mlir 4
${TILEC_FULL:+03_matmul/matmul.mlir 1}
04_all_gather_matmul/all_gather_matmul.mlir 4 sequential-push
${TILEC_FULL:+06_matmul_reduce_scatter/matmul_reduce_scatter.mlir 4 specialized-staged}
${TILEC_FULL:+../bench/gpu/attention_causal.mlir 1}
${TILEC_FULL:+../bench/gpu/attention.mlir 1}
${TILEC_FULL:+05_matmul_all_scatter/matmul_all_scatter.mlir 4}
END
# The runner is compiled and not run here.
export CXXFLAGS=-O0
# bench/gpu builds with the runner's script, and kernels of its own.
sh "$root/bench/gpu/run" --build "$out" >"$out/log"
cat "$out/log"
[ ! -s "$out/log" ] || exit 1
grep -o "Used [0-9]* registers" "$out"/programs/*/*.log | sed "s,$out/programs/,,"
# Workgroups come while the kernel before theirs is running: each kernel touches memory of the device behind its end alone.
nvcc=${CUDA_HOME:+$CUDA_HOME/bin/nvcc}
nvcc=${nvcc:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
for text in "$out"/programs/all_gather_matmul-*/all_gather_matmul.hip; do
  "$nvcc" -x cu -ptx -std=c++20 --expt-relaxed-constexpr -arch=compute_90a -I "$root/runtime/include/tilec-nvidia" \
    -I "$root/runtime/include" "$text" -o "$out/text.ptx"
  awk '/[.]entry/ { kernels++; waits = 0 } /griddepcontrol[.]wait/ { waits++ }
    /^[ \t]*(@!?%p[0-9]+ )?(ld|st|atom|red|cp)[.]/ &&
    (!/^[^[]*[.](param|shared|const|local)/ || /^[^[]*[.]global/) { accesses++; if (!waits) early++ }
    END { exit !(kernels && accesses && !early) }' "$out/text.ptx" || {
    echo "$(basename "$text") accesses memory in front of griddepcontrol.wait, or nowhere" >&2
    exit 1
  }
done
# Where there is no GPU, that is what is said.
if ! "$out/build/tilec-runner" --device >"$out/log" 2>&1; then
  cat "$out/log"
  grep -q '^tilec-runner: error: no GPU: ' "$out/log"
fi
