// RUN: tilec %s --world 1 --no-verify --emit=hip | FileCheck %s
// RUN: tilec run %s --world 1 --extent M=40

// The text had '--2.0f', which decrements.
// CHECK: -(-2.0f)
tile.program @p<%M>(%x: memref<?xf32>, %y: memref<?xf32>) extents [%x: %M] [%y: %M] {
  tile.forall (%m) in [%M ceildiv 16] {
    %t = tile.load %x[%m] tile [16] : memref<?xf32> -> tensor<16xf32>
    %two = tile.splat -2.0 [16] : tensor<16xf32>
    %plus = arith.negf %two : tensor<16xf32>
    %size = math.absf %plus : tensor<16xf32>
    %quotient = arith.divf %t, %size : tensor<16xf32>
    %once = arith.negf %quotient : tensor<16xf32>
    %twice = arith.negf %once : tensor<16xf32>
    tile.store %twice, %y[%m] : tensor<16xf32>, memref<?xf32>
  }
}
