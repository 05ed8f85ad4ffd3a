// Two products of a task, whose columns are the same; each step adds what it has made of its depth, times scales: of a row, and of the step.
tile.program @scaled<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %rows: memref<?x?xf32>, %blocks: memref<?x?xf32>, %c: memref<?x?xf32>)
    extents [%a: %M, %K] [%b: %N, %K] [%rows: %K ceildiv 32, %M] [%blocks: %N ceildiv 64, %K ceildiv 32] [%c: %M, %N] {
  tile.forall (%pair, %n) in [%M ceildiv 128, %N ceildiv 64] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %m0 = arith.muli %pair, %two : index
    %m1 = arith.addi %m0, %one : index
    %steps = tile.extent [%K ceildiv 32]
    %none = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
    %sums:2 = scf.for %k = %zero to %steps step %one iter_args(%sums0 = %none, %sums1 = %none) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
      %w = tile.load %b[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
      %x0 = tile.load %a[%m0, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
      %x1 = tile.load %a[%m1, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
      %by_row0 = tile.load %rows[%k, %m0] tile [64] : memref<?x?xf32> -> tensor<64xf32>
      %by_row1 = tile.load %rows[%k, %m1] tile [64] : memref<?x?xf32> -> tensor<64xf32>
      %by_block = tile.load %blocks[%n, %k] tile [] : memref<?x?xf32> -> tensor<f32>
      %block = tile.broadcast %by_block dims [] tile [64, 64] : tensor<f32> -> tensor<64x64xf32>
      %product0 = tile.dot %x0, transpose %w, %none : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
      %rows0 = tile.broadcast %by_row0 dims [0] tile [64, 64] : tensor<64xf32> -> tensor<64x64xf32>
      %scale0 = arith.mulf %rows0, %block : tensor<64x64xf32>
      %scaled0 = arith.mulf %product0, %scale0 : tensor<64x64xf32>
      %more0 = arith.addf %sums0, %scaled0 : tensor<64x64xf32>
      %product1 = tile.dot %x1, transpose %w, %none : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
      %rows1 = tile.broadcast %by_row1 dims [0] tile [64, 64] : tensor<64xf32> -> tensor<64x64xf32>
      %scale1 = arith.mulf %rows1, %block : tensor<64x64xf32>
      %scaled1 = arith.mulf %product1, %scale1 : tensor<64x64xf32>
      %more1 = arith.addf %sums1, %scaled1 : tensor<64x64xf32>
      scf.yield %more0, %more1 : tensor<64x64xf32>, tensor<64x64xf32>
    }
    tile.store %sums#0, %c[%m0, %n] : tensor<64x64xf32>, memref<?x?xf32>
    tile.store %sums#1, %c[%m1, %n] : tensor<64x64xf32>, memref<?x?xf32>
  }
}
