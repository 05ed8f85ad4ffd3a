// Statements that wait for earlier ones as a whole: with granularity `statement` the tasks of two of them count by chiplet.
tile.program @tallied<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) extents [%a: %M, 64] [%b: %M, 64] {
  %squares = tile.alloc [%M, 64] : memref<?x64xf32>
  %sums = tile.alloc [%M, 64] : memref<?x64xf32>
  tile.forall (%m, %n) in [%M ceildiv 16, 2] {
    %t = tile.load %a[%m, %n] tile [16, 32] : memref<?x64xf32> -> tensor<16x32xf32>
    %s = arith.mulf %t, %t : tensor<16x32xf32>
    tile.store %s, %squares[%m, %n] : tensor<16x32xf32>, memref<?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %zero = arith.constant 0 : index
    %t = tile.load %squares[%m, %zero] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    %s = arith.addf %t, %t : tensor<32x64xf32>
    tile.store %s, %sums[%m, %zero] : tensor<32x64xf32>, memref<?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 64] {
    %zero = arith.constant 0 : index
    %t = tile.load %squares[%m, %zero] tile [64, 64] : memref<?x64xf32> -> tensor<64x64xf32>
    %u = tile.load %sums[%m, %zero] tile [64, 64] : memref<?x64xf32> -> tensor<64x64xf32>
    %s = arith.subf %u, %t : tensor<64x64xf32>
    tile.store %s, %b[%m, %zero] : tensor<64x64xf32>, memref<?x64xf32>
  }
}
