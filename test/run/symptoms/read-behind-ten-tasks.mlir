// RUN: tilec verify %s --world 2
// RUN: tilec run %s --world 2 --extents-from 7,200,4000 --launches 3 --race

// Rejected with 'waits for -18 signals': ten tasks write, and what is read lies behind all of them at any extent.
tile.program @behind<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  tile.forall (%i) in [10] {
    %u = tile.splat 1.0 [104] : tensor<104xf32>
    tile.store %u, %a[%i] : tensor<104xf32>, memref<?xf32>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %c3000 = arith.constant 3000 : index
    %t = tile.load %a at (%c3000) tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
  }
}
