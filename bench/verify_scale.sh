#!/bin/sh
# How long the checker takes on 8 ranks x 4096 tiles x 64 K-steps, pattern by pattern. Prints times; asserts nothing.
#   bench/verify_scale.sh [path of tilec-opt]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
opt=${1:-$root/build/bin/tilec-opt}
for pattern in bulk sequential-pull sequential-push sequential-staged specialized-push; do
  passes="tile-specialize{world=8 extents=M=1024,N=8192,K=2048},tile-expand{pattern=$pattern},tile-fuse{pattern=$pattern},tile-waits"
  printf '%s\n' "$pattern"
  "$opt" "$root/examples/04_all_gather_matmul/all_gather_matmul.mlir" --keep-names -o /dev/null \
    --pass-pipeline="builtin.module(tile.program($passes,tile-order,tile-verify))" --mlir-timing 2>&1 |
    grep Verify
done
