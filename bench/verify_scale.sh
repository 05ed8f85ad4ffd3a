#!/bin/sh
# How long the checker takes: 8 ranks x 4096 tiles x 64 K-steps and a product of production size, pattern by pattern, and
# 64 ranks of examples 04 to 07 from end to end. Prints times; asserts nothing.
#   bench/verify_scale.sh [path of tilec-opt]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
opt=${1:-$root/build/bin/tilec-opt}
for extents in M=1024,N=8192,K=2048 M=4096,N=3584,K=8192; do
  for pattern in bulk sequential-pull sequential-push sequential-staged specialized-push; do
    passes="tile-specialize{world=8 extents=$extents},tile-choose{pattern=$pattern granularity=task},tile-expand,tile-fuse,tile-waits"
    printf '%s %s\n' "$extents" "$pattern"
    "$opt" "$root/examples/04_all_gather_matmul/all_gather_matmul.mlir" --keep-names -o /dev/null \
      --pass-pipeline="builtin.module(tile.program($passes,tile-order,tile-verify))" --mlir-timing 2>&1 |
      grep Verify
  done
done
for program in "$root"/examples/0[4567]*/*.mlir; do
  printf '64 ranks: '
  basename "$program"
  bash -c "time '$(dirname "$opt")/tilec' verify '$program' --world 64" 2>&1 | grep -E 'real|user'
done
