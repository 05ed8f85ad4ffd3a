#!/bin/sh
# Generated programs on a real GPU, where there need be no LLVM.
#   programs.sh prepare FOLDER    here: text, manifest, inputs and what the oracle expects of each program. TILEC names the command
#   programs.sh run FOLDER        there: builds the runtime, the texts and ProgramTest with nvcc, and runs them
# JOBS: how many texts are compiled at once.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
step=${1:?prepare or run} folder=${2:?a folder}

# name, program, then what tilec run is given.
programs() {
  cat <<END
copy examples/00_copy/copy.mlir
put_get examples/01_put_get/put_get.mlir
signal examples/02_signal/signal.mlir
swiglu examples/03_matmul/matmul.mlir
swiglu-large examples/03_matmul/matmul.mlir --extent M=1000,N=328,K=1096
swiglu-odd examples/03_matmul/matmul.mlir --extent M=77,N=51,K=33
all_gather_matmul examples/04_all_gather_matmul/all_gather_matmul.mlir
matmul_all_scatter examples/05_matmul_all_scatter/matmul_all_scatter.mlir
matmul_reduce_scatter examples/06_matmul_reduce_scatter/matmul_reduce_scatter.mlir
matmul_all_reduce examples/07_matmul_all_reduce/matmul_all_reduce.mlir
elementwise test/run/workloads/elementwise.mlir
softmax test/run/workloads/softmax.mlir
softmax-wide test/run/workloads/softmax.mlir --extent M=60,N=4111
rms-norm test/run/workloads/rms-norm.mlir
layer-norm test/run/workloads/layer-norm.mlir
transpose test/run/workloads/transpose.mlir
prefix-sum test/run/workloads/prefix-sum.mlir
stencil test/run/workloads/stencil.mlir
top-k test/run/workloads/top-k.mlir
smith-waterman test/run/workloads/smith-waterman.mlir
dots-of-all-types test/run/coverage/dots-of-all-types.mlir
small-dots test/run/coverage/small-dots.mlir
eight-bit-floats test/run/coverage/eight-bit-floats.mlir
reductions test/run/coverage/reductions.mlir
casts test/run/coverage/casts.mlir
floats test/run/coverage/floats.mlir
integers test/run/coverage/integers.mlir
atomic-extrema test/run/coverage/atomic-extrema.mlir
tables test/run/coverage/tables.mlir
strided-views test/run/coverage/strided-views.mlir
rearrangements test/run/coverage/rearrangements.mlir
element-offsets test/run/coverage/element-offsets.mlir
END
}

prepare() {
  tilec=${TILEC:-$root/build/bin/tilec}
  programs | while read -r name program options; do
    # shellcheck disable=SC2086  # options are words
    if "$tilec" run "$root/$program" --target sm_90a --world 1 $options --expect "$folder/$name" -o "$folder/$name" \
      >"$folder/$name.log" 2>&1; then
      echo "$name"
    else
      echo "$name: not prepared, see $folder/$name.log"
      rm -rf "${folder:?}/$name"
    fi
  done
}

# Host code needs no nvcc: its names of HIP are inline functions and macros over CUDA's.
run() {
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  cuda=$(dirname "$(dirname "$nvcc")")
  include="-I$root/runtime/include/tilec-nvidia -I$root/runtime/include"
  host="${CXX:-c++} -std=c++20 -O2 -fPIC $include -I$root/runtime -I$cuda/include ${TILEC_JSON:+-I$TILEC_JSON}"
  text="$nvcc -x cu -std=c++20 -O3 --expt-relaxed-constexpr -cudart shared -shared -Xcompiler -fPIC
        -gencode=arch=compute_90a,code=sm_90a -Xptxas -v $include"
  build=$folder/build
  mkdir -p "$build"
  {
    for file in "$root"/runtime/host/*.cpp "$here/ProgramTest.cpp"; do
      echo "$host -c $file -o $build/$(basename "$file" .cpp).o"
    done
    for launch in "$folder"/*/launch.json; do
      program=$(dirname "$launch")
      for file in "$program"/*.hip; do
        echo $text "$file" -o "${file%.hip}.so" ">$program/ptxas.log 2>&1 || cat $program/ptxas.log"
      done
    done
  } | xargs -d '\n' -P "${JOBS:-$(nproc)}" -n 1 sh -c
  # shellcheck disable=SC2046
  ${CXX:-c++} -shared -o "$build/libtilec_runtime.so" $(find "$build" -name '*.o' ! -name ProgramTest.o) -L"$cuda/lib64" \
    -lcudart -ldl -lpthread
  ${CXX:-c++} -o "$build/ProgramTest" "$build/ProgramTest.o" -L"$build" -ltilec_runtime -L"$cuda/lib64" -lcudart \
    -Wl,-rpath,"$build" -Wl,-rpath,"$cuda/lib64" -Wl,--export-dynamic
  # Spills would make a kernel slow without a word.
  grep -H "spill" "$folder"/*/ptxas.log | grep -v " 0 bytes spill stores, 0 bytes spill loads" || true
  programs | while read -r name rest; do [ ! -f "$folder/$name/launch.json" ] || echo "$folder/$name"; done |
    xargs -d '\n' "$build/ProgramTest"
}

case $step in
prepare) mkdir -p "$folder" && prepare ;;
run) run ;;
*) echo "expected prepare or run, got '$step'" >&2 && exit 1 ;;
esac
