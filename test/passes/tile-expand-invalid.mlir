// What two shots need of the buffers of a sum over the ranks.
// RUN: split-file %s %t
// RUN: not tilec-opt %t/source.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-expand{pattern=specialized-pull-two-shot}))' 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: not tilec-opt %t/destination.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-expand{pattern=specialized-push-two-shot}))' 2>&1 | FileCheck %s --check-prefix=DESTINATION
// RUN: tilec-opt %t/destination.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-expand{pattern=specialized-pull-two-shot}))'
// SOURCE: source.mlir:2:3: error: 'tile.all_reduce' op cannot be expanded to two shots: its source is not in #tile.symmetric memory
// SOURCE: source.mlir:1:26: note: the buffer is declared here
// DESTINATION: destination.mlir:2:3: error: 'tile.all_reduce' op cannot be expanded to two shots: its destination is not in #tile.symmetric memory
// DESTINATION: destination.mlir:1:69: note: the buffer is declared here
//--- source.mlir
tile.program @all_reduce(%part: memref<64x64xf32>, %sum: memref<64x64xf32, #tile.symmetric>) {
  tile.all_reduce %part into %sum : memref<64x64xf32>, memref<64x64xf32, #tile.symmetric>
}
//--- destination.mlir
tile.program @all_reduce(%part: memref<64x64xf32, #tile.symmetric>, %sum: memref<64x64xf32>) {
  tile.all_reduce %part into %sum : memref<64x64xf32, #tile.symmetric>, memref<64x64xf32>
}
