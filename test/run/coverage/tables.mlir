// RUN: tilec run %s --world 1

// Constants that differ from element to element.
tile.program @tables<%M>(%a: memref<?x8xf32>, %b: memref<?x8xi32>, %o: memref<?x8xf32>, %p: memref<?x8xi32>) extents [%a: %M, 8] [%b: %M, 8] [%o: %M, 8] [%p: %M, 8] {
  tile.forall (%m) in [%M ceildiv 2] {
    %c0 = arith.constant 0 : index
    %weights = arith.constant dense<[0.5, 0.25, 0.25, 1.0, 2.0, -3.0, 0.0, 0.125]> : tensor<8xf32>
    %shifts = arith.constant dense<[[1, 2, 3, 4, 4, 4, 0, -1], [7, 7, 7, 7, -9, 8, 8, 5]]> : tensor<2x8xi32>
    %x = tile.load %a[%m, %c0] tile [2, 8] : memref<?x8xf32> -> tensor<2x8xf32>
    %w = tile.broadcast %weights dims [1] tile [2, 8] : tensor<8xf32> -> tensor<2x8xf32>
    %y = arith.mulf %x, %w : tensor<2x8xf32>
    tile.store %y, %o[%m, %c0] : tensor<2x8xf32>, memref<?x8xf32>
    %z = tile.load %b[%m, %c0] tile [2, 8] : memref<?x8xi32> -> tensor<2x8xi32>
    %s = arith.addi %z, %shifts : tensor<2x8xi32>
    tile.store %s, %p[%m, %c0] : tensor<2x8xi32>, memref<?x8xi32>
  }
}
