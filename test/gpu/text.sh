#!/bin/sh
# Generated text for sm_90a with nvcc: text.sh TILEC NVCC. A spill, or an instruction that ptxas could not keep asynchronous, fails.
set -eu
tilec=$1 nvcc=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
while read -r program world; do
  name=$(basename "$program" .mlir)
  "$tilec" "$root/examples/$program" --target sm_90a --world "$world" -o "$out"
  "$nvcc" -x cu -std=c++20 -O3 --expt-relaxed-constexpr -gencode=arch=compute_90a,code=sm_90a -Xptxas -v \
    -I"$root/runtime/include/tilec-nvidia" -I"$root/runtime/include" -c "$out/$name.hip" -o "$out/$name.o" >"$out/$name.log" 2>&1 || {
    cat "$out/$name.log"
    exit 1
  }
  if grep "spill" "$out/$name.log" | grep -v " 0 bytes spill stores, 0 bytes spill loads" || grep "C75" "$out/$name.log"; then
    echo "$name: see above"
    exit 1
  fi
  echo "$name of world $world: $(grep -o "Used [0-9]* registers" "$out/$name.log" | tr '\n' ' ')"
done <<END
01_put_get/put_get.mlir 4
03_matmul/matmul.mlir 1
05_matmul_all_scatter/matmul_all_scatter.mlir 4
END
