#!/bin/sh
# Speed of the emulator on example 03 at 512^3, plain and with the race check in weak memory, and the time of a verified run of Llama-3-8B's up-projection (64 tokens, 4 ranks).
# Usage: bench/emulator.sh [tilec]
set -eu
cd "$(dirname "$0")/.."
tilec=${1:-build/bin/tilec}
# Two products of 2 * 512^3 operations.
for modes in "" "--race --memory weak"; do
  "$tilec" run examples/03_matmul/matmul.mlir --world 1 --extent M=512,N=512,K=512 --timing $modes 2>&1 | awk -v modes="$modes" '
    /^time of compilation/ { print "text compiled in", $7, "s" }
    /^time of emulated/ {
      printf "example 03 at 512^3 %s: %s s wall, %.2f GFLOP/s; by processor time %.2f GFLOP/s\n", modes, $5,
             4 * 512 * 512 * 512 / $5 / 1e9, 4 * 512 * 512 * 512 / $8 / 1e9
    }'
done
start=$(date +%s.%N)
"$tilec" run examples/04_all_gather_matmul/all_gather_matmul.mlir --world 4 --extent M=16,N=3584,K=4096 --timing 2>&1 | grep '^rank\|^time'
echo "up-projection: $(echo "$(date +%s.%N) $start" | awk '{ printf "%.1f", $1 - $2 }') s"
