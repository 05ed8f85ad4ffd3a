#!/bin/sh
# Builds DeviceTest.hip for the GPU of this machine and runs it: with hipcc where there is one, else with nvcc.
# `run.sh --compile` stops after the build.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
include=$here/../../runtime/include
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
if command -v hipcc >/dev/null 2>&1; then
  hipcc -std=c++20 -O3 -I"$include" "$here/DeviceTest.hip" -o "$out/test"
else
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  "$nvcc" -x cu -std=c++20 -O3 --expt-relaxed-constexpr -gencode=arch=compute_90a,code=sm_90a -I"$include/tilec-nvidia" \
    -I"$include" "$here/DeviceTest.hip" -o "$out/test"
fi
[ "${1:-}" = "--compile" ] || "$out/test"
