#!/bin/sh
# A kit of programs for a real GPU: programs.sh FOLDER. There, `sh FOLDER/run --relaunches 1000` builds and runs all of them
# (docs/device.md). TILEC names the command.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:?a folder}

# Program, then what tilec run is given.
while read -r program options; do
  # shellcheck disable=SC2086  # options are words
  "${TILEC:-$root/build/bin/tilec}" run "$root/$program" --world 1 $options --prepare "$folder" >"$folder.log" 2>&1 || {
    cat "$folder.log"
    echo "programs.sh: $program $options is not prepared" >&2
    exit 1
  }
done <<END
examples/00_copy/copy.mlir --launches 6 --extents-from 1,7,40,200
examples/01_put_get/put_get.mlir
examples/02_signal/signal.mlir
examples/03_matmul/matmul.mlir --launches 6 --extents-from 1,7,40,200,333
examples/03_matmul/matmul.mlir --extent M=1000,N=328,K=1096
examples/03_matmul/matmul.mlir --extent M=77,N=51,K=33
examples/04_all_gather_matmul/all_gather_matmul.mlir --launches 6 --extents-from 1,7,40,200,333
examples/05_matmul_all_scatter/matmul_all_scatter.mlir --launches 6 --extents-from 1,7,40,200,333
examples/06_matmul_reduce_scatter/matmul_reduce_scatter.mlir --launches 6 --extents-from 1,7,40,200,333
examples/07_matmul_all_reduce/matmul_all_reduce.mlir --launches 6 --extents-from 1,7,40,200,333
examples/18_kernels/elementwise.mlir --launches 6 --extents-from 1,7,100,333
examples/18_kernels/softmax.mlir --launches 6 --extents-from 1,7,100,333
examples/18_kernels/softmax.mlir --extent M=60,N=4111
test/run/workloads/rms-norm.mlir --launches 6 --extents-from 1,7,100,333
examples/18_kernels/layer_norm.mlir --launches 6 --extents-from 1,7,100,333
examples/18_kernels/transpose.mlir --launches 6 --extents-from 1,7,100,333
examples/10_flash_attention/flash_attention.mlir --extent H=2 --launches 4 --extents-from 1,70,200
test/run/workloads/prefix-sum.mlir
test/run/workloads/stencil.mlir
test/run/workloads/top-k.mlir
examples/18_kernels/smith_waterman.mlir
test/run/coverage/dots-of-all-types.mlir
test/run/coverage/small-dots.mlir
test/run/coverage/eight-bit-floats.mlir
test/run/coverage/reductions.mlir
test/run/coverage/casts.mlir
test/run/coverage/floats.mlir
test/run/coverage/integers.mlir
test/run/coverage/atomic-extrema.mlir
test/run/coverage/tables.mlir
test/run/coverage/strided-views.mlir
test/run/coverage/rearrangements.mlir
test/run/coverage/element-offsets.mlir
END
rm -f "$folder.log"
ls "$folder/programs"
