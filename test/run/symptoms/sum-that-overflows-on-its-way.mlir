// Sums of floats near the greatest of f32: whether one overflows on its way depends on the order, and the result was called wrong.
// RUN: tilec run %s --world 1 --extent M=4 > %t 2>&1; test $? = 2 && FileCheck %s --input-file=%t --implicit-check-not=exceed
// CHECK: says nothing
tile.program @sums<%M>(%x: memref<?x64xf32>, %y: memref<?xf32>) extents [%x: %M, 64] [%y: %M] {
  tile.forall (%m) in [%M ceildiv 4] {
    %zero = arith.constant 0 : index
    %t = tile.load %x[%m, %zero] tile [4, 64] : memref<?x64xf32> -> tensor<4x64xf32>
    %far = tile.splat 3.0e38 [4, 64] : tensor<4x64xf32>
    %large = arith.mulf %t, %far : tensor<4x64xf32>
    %sum = tile.reduce add %large dim 1 : tensor<4x64xf32> -> tensor<4xf32>
    tile.store %sum, %y[%m] : tensor<4xf32>, memref<?xf32>
  }
}
