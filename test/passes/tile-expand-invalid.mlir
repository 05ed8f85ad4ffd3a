// RUN: split-file %s %t
// RUN: not tilec-opt %t/gather.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-choose{pattern=bulk-push granularity=task},tile-expand))' 2>&1 | FileCheck %s --check-prefix=PUSH
// RUN: not tilec-opt %t/gather.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-choose{pattern=bulk-pull granularity=task},tile-expand))' 2>&1 | FileCheck %s --check-prefix=PULL
// RUN: not tilec-opt %t/gather.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-choose{pattern=bulk granularity=task},tile-expand))' 2>&1 | FileCheck %s --check-prefix=NEITHER
// RUN: not tilec-opt %t/reduce.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-choose{pattern=bulk-pull granularity=task},tile-expand))' 2>&1 | FileCheck %s --check-prefix=REDUCE
// RUN: not tilec-opt %t/reduce.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-choose{pattern=bulk-two-shot granularity=task},tile-expand))' 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not tilec-opt %t/reduce.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-choose{pattern=bulk-pushed granularity=task},tile-expand))' 2>&1 | FileCheck %s --check-prefix=PATTERN
// RUN: not tilec-opt %t/reduce.mlir --pass-pipeline='builtin.module(tile.program(tile-expand))' 2>&1 | FileCheck %s --check-prefix=WORLD
// RUN: not tilec-opt %t/view.mlir --pass-pipeline='builtin.module(tile.program(tile-expand))' 2>&1 | FileCheck %s --check-prefix=VIEW

// PUSH: error: 'tile.all_gather' op cannot be expanded to push: its destination is not in #tile.symmetric memory
// PUSH: note: the buffer is declared here
// PULL: error: 'tile.all_gather' op cannot be expanded to pull: its source is not in #tile.symmetric memory
// NEITHER: error: 'tile.all_gather' op exchanges data of ranks, but neither its source nor its destination is in #tile.symmetric memory, expected one that is
// NEITHER: note: as in 'memref<?x64xf32, #tile.symmetric>', declared here
// REDUCE: error: 'tile.all_reduce' op cannot be expanded to pull: its source is not in #tile.symmetric memory
// REDUCE: note: the buffer is declared here
// TWO: error: 'tile.all_reduce' op cannot be expanded to two shots: its source is not in #tile.symmetric memory
// TWO: note: the buffer is declared here
// PATTERN: error: unknown pattern 'bulk-pushed', expected bulk, sequential, specialized or producer-consumer, then optionally -pull, -push, -staged or -copy-engine, then optionally -one-shot or -two-shot
// WORLD: error: world is not known: run tile-specialize first
// VIEW: error: 'tile.forall' op goes over a view whose size in dimension 0 is no expression over the extents, expected bounds 'in [..]'

//--- gather.mlir
tile.program @gather<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) extents [%a: %M, 64] [%b: W * %M, 64] {
  tile.all_gather %a into %b dim 0 : memref<?x64xf32>, memref<?x64xf32>
}
//--- reduce.mlir
tile.program @reduce<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) extents [%a: %M, 64] [%b: %M, 64] {
  tile.all_reduce %a into %b : memref<?x64xf32>, memref<?x64xf32>
}
//--- view.mlir
tile.program @view(%b: memref<64x256xf32>) world 2 extents [%b: 64, 256] {
  %rank = tile.rank
  %view = memref.subview %b[0, 0] [%rank, 256] [1, 1] : memref<64x256xf32> to memref<?x256xf32, strided<[256, 1]>>
  tile.forall (%m, %n) over %view tiles [32, 32] : memref<?x256xf32, strided<[256, 1]>> {
    %t = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    tile.store %t, %view[%m, %n] : tensor<32x32xf32>, memref<?x256xf32, strided<[256, 1]>>
  }
}
