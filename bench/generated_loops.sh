#!/bin/sh
# Counts the loop over K of generated products on both AMD machines, and prints its fraction of matrix peak by the small model: a
# plain bf16 product of 8192 x 8192 x 8192 with the tiles that are chosen, the same with tiles that are given, also in halves of waves that alternate, with a
# right operand that lies K x N, with both operands' depth down the rows, of fp8 and of i8, of fp8 with scales of blocks, and examples 03 to 07. No GPU, no time. TILEC names the command, CLANG the compiler.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
tilec=${TILEC:-$root/build/bin/tilec}
clang=${CLANG:-clang++-22}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Name in the table, target, program, then options.
count() {
  name=$1 target=$2 program=$3
  shift 3
  rm -f "$out"/*
  "$tilec" "$program" --target "$target" -o "$out" "$@" 2>"$out/log" || { cat "$out/log" >&2; exit 1; }
  file=$(echo "$out"/*.hip) # named after the program
  file=${file%.hip}
  "$clang" -x hip --cuda-device-only "--offload-arch=$target" -nogpuinc -nogpulib -O3 -std=c++20 -I"$root/test/isa/include" \
    -I"$root/runtime/include" -S -o "$file.s" "$file.hip"
  lds=$(grep -o 'launch_kernel([a-z0-9_]*, arguments->workgroups, [0-9]*, [0-9]*' "$file.hip" | tail -1 | sed 's/.* //')
  apart=
  case $* in *alternating*) apart=--alternating ;; esac
  # shellcheck disable=SC2086
  "$root/bench/isa_count.py" "$file.s" | tail -1 |
    awk -F'|' -v name="$name" -v lds="$lds" -v model="$("$root/bench/loop_model.py" --resident "$lds" $apart "$file.s" | grep -o '[01][.][0-9]*' | tail -1)" \
      '{ printf "| %s |%s|%s|%s|%s|%s|%s| %s | %s |\n", name, $3, $4, $12, $19, $20, $22, lds, model }'
}

echo "| loop | n/eq | non | waits for vmcnt(0) | vector registers | of them a | bytes spilled | LDS bytes | of matrix peak, model |"
echo "|---|---|---|---|---|---|---|---|---|"
for target in gfx942 gfx950; do
  product=$root/bench/gpu/matmul.mlir
  count "8192^3, $target, chosen" $target "$product" --world 1 --extent M=8192,N=8192,K=8192
  for tiles in 256,128,32 128,128,32 256,256,16; do
    count "$tiles, $target" $target "$product" --world 1 \
      --param "BM=${tiles%%,*},BN=$(echo $tiles | cut -d, -f2),BK=${tiles##*,}"
  done
  for tiles in 256,256,32 256,128,32; do
    count "$tiles alternating, $target" $target "$product" --world 1 --schedule=halves=alternating,waves=8 \
      --param "BM=${tiles%%,*},BN=$(echo $tiles | cut -d, -f2),BK=${tiles##*,}"
  done
  count "gradient, $target" $target "$root/bench/gpu/matmul_gradient.mlir" --world 1 --extent M=8192,N=8192,K=8192
  for kind in untransposed "f8_$target" i8; do
    count "$kind, $target" $target "$root/bench/products/$kind.mlir" --world 1 --extent M=8192,N=8192,K=8192
  done
  block=$root/bench/gpu/matmul_block_fp8.mlir
  [ $target = gfx950 ] || block=$root/bench/products/block_fnuz.mlir
  count "scaled by block, $target" $target "$block" --world 1 --extent M=8192,N=8192,K=8192
  for example in 03_matmul 04_all_gather_matmul 05_matmul_all_scatter 06_matmul_reduce_scatter 07_matmul_all_reduce; do
    count "${example%%_*}, $target" $target "$root/examples/$example/${example#*_}.mlir" --world 8
  done
done
