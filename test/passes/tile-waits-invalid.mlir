// RUN: not tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-waits))' 2>&1 | FileCheck %s

// Statements must stand in kernels.
// CHECK: error: 'tile.forall' op stands outside a 'tile.kernel': run tile-fuse first
tile.program @outside<%M>(%a: memref<?x64xf32>) extents [%a: %M, 64] {
  tile.forall (%m, %n) in [%M ceildiv 32, 2] {
    %t = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    tile.store %t, %a[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}
