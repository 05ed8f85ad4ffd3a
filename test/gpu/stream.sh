#!/bin/sh
# The loops of stream.hip for sm_90a with nvcc: stream.sh NVCC. A spill, or a product that ptxas could not keep asynchronous, fails.
set -eu
nvcc=$1
here=$(cd "$(dirname "$0")" && pwd)
include=$here/../../runtime/include
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$nvcc" -x cu -std=c++20 -O3 --expt-relaxed-constexpr -gencode=arch=compute_90a,code=sm_90a -Xptxas -v -I"$include/tilec-nvidia" \
  -I"$include" -c "$here/stream.hip" -o "$out/stream.o" >"$out/log" 2>&1 || {
  cat "$out/log"
  exit 1
}
if grep "spill" "$out/log" | grep -v " 0 bytes spill stores, 0 bytes spill loads" || grep "C75" "$out/log"; then
  echo "stream.hip: see above"
  exit 1
fi
grep -q "Used [0-9]* registers" "$out/log"
echo "stream.hip: $(grep -o "Used [0-9]* registers" "$out/log" | tr '\n' ' ')"
