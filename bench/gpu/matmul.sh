#!/bin/sh
# bench/gpu/matmul.mlir beside cuBLASLt on a GPU, where there need be no LLVM.
#   matmul.sh prepare FOLDER    here: text and manifest for each shape. TILEC names the command
#   matmul.sh run FOLDER        there: builds with nvcc, checks a sample against double, times, prints a line per shape
# The runtime is that of test/gpu/programs.sh: run it first with the same FOLDER/programs, or RUNTIME names its build folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
step=${1:?prepare or run} folder=${2:?a folder}

# M, N, K, then tiles that are given instead of chosen.
shapes() {
  cat <<END
4096 4096 4096
8192 8192 8192
8192 7168 8192
8192 3584 4096
2048 7168 8192
1000 1144 1096
8192 8192 8192 BM=128,BN=256,BK=64
8192 8192 8192 BM=256,BN=128,BK=64
8192 7168 8192 BM=128,BN=256,BK=64
8192 3584 4096 BM=128,BN=256,BK=64
2048 7168 8192 BM=128,BN=256,BK=64
4096 4096 4096 BM=128,BN=256,BK=64
1000 1144 1096 BM=128,BN=128,BK=64
END
}

case $step in
prepare)
  shapes | while read -r m n k tiles; do
    name=${m}x${n}x$k${tiles:+-$(echo "$tiles" | tr -d 'BMNK=' | tr , x)}
    "${TILEC:-$root/build/bin/tilec}" "$here/matmul.mlir" --target sm_90a --world 1 --extent "M=$m,N=$n,K=$k" \
      ${tiles:+--param "$tiles"} -o "$folder/$name"
  done
  ;;
run)
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  cuda=$(dirname "$(dirname "$nvcc")")
  build=${RUNTIME:-$folder/programs/build}
  include="-I$root/runtime/include/tilec-nvidia -I$root/runtime/include"
  for program in "$folder"/*/matmul.hip; do
    echo "$nvcc -x cu -std=c++20 -O3 --expt-relaxed-constexpr -cudart shared -shared -Xcompiler -fPIC -Xptxas -v \
      -gencode=arch=compute_90a,code=sm_90a $include $program -o ${program%.hip}.so >${program%.hip}.log 2>&1 || cat ${program%.hip}.log"
  done | xargs -d '\n' -P "${JOBS:-$(nproc)}" -n 1 sh -c
  # shellcheck disable=SC2086
  ${CXX:-c++} -std=c++20 -O2 $include -I"$cuda/include" ${TILEC_JSON:+-I$TILEC_JSON} "$here/Matmul.cpp" -o "$folder/Matmul" \
    -L"$build" -ltilec_runtime -L"$cuda/lib64" -lcublasLt -lcudart -Wl,-rpath,"$build" -Wl,-rpath,"$cuda/lib64"
  grep -h "registers\|spill" "$folder"/*/matmul.log | sort | uniq -c
  shapes | while read -r m n k tiles; do
    echo "$folder/${m}x${n}x$k${tiles:+-$(echo "$tiles" | tr -d 'BMNK=' | tr , x)}"
  done | xargs -d '\n' "$folder/Matmul"
  ;;
*) echo "expected prepare or run, got '$step'" >&2 && exit 1 ;;
esac
