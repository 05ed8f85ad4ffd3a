#!/bin/sh
# Counts the loops of test/device/RingLoops.h on both AMD machines and prints their fraction of matrix peak by the small
# model. No GPU, no time. Assembly goes to a temporary folder.
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
compile() {
  clang++-22 -x hip --cuda-device-only -nogpuinc -nogpulib -O3 -std=c++20 -Itest/isa/include -Iruntime/include -S "$@" test/isa/device/ring.hip
}
compile --offload-arch=gfx942 -DREGISTERS -o "$out/gfx942.s"
compile --offload-arch=gfx950 -o "$out/gfx950.s"
bench/isa_count.py "$out/gfx942.s" "$out/gfx950.s"
bench/loop_model.py "$out/gfx942.s" "$out/gfx950.s"
bench/loop_model.py --latency 900 "$out/gfx942.s" "$out/gfx950.s"
