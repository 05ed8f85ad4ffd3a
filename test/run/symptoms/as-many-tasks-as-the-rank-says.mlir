// A grid of two dimensions whose bounds are no expressions over the extents crashed the compiler.
// RUN: tilec run %s --world 2 --extent M=300 | FileCheck %s
// CHECK: rank 0: largest error 0, bound 0
// CHECK: rank 1: largest error 0, bound 0
// RUN: tilec run %s --world 2 --extents-from 1,64,300 --launches 3 --order=grouped-2 | FileCheck %s

tile.program @part<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %rank = tile.rank
  tile.forall (%i, %j) in [%rank ceildiv 64, 4] {
    %at = arith.addi %i, %j : index
    %t = tile.load %a[%at] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %b[%at] : tensor<64xf32>, memref<?xf32>
  }
}
