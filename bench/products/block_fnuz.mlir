// bench/gpu/matmul_block_fp8.mlir of the eight-bit floats that gfx942 has.
tile.fragment @add_scaled<@BM>(%sums: tensor<?x128xf32>, %x: tensor<?x128xf8E4M3FNUZ>, %w: tensor<128x128xf8E4M3FNUZ>,
                               %by_row: tensor<?xf32>, %by_block: tensor<f32>) {
  %none = tile.splat 0.0 [@BM, 128] : tensor<?x128xf32>
  %product = tile.dot %x, transpose %w, %none : tensor<?x128xf8E4M3FNUZ>, tensor<128x128xf8E4M3FNUZ>, tensor<?x128xf32>
  %rows = tile.broadcast %by_row dims [0] tile [@BM, 128] : tensor<?xf32> -> tensor<?x128xf32>
  %block = tile.broadcast %by_block dims [] tile [@BM, 128] : tensor<f32> -> tensor<?x128xf32>
  %scale = arith.mulf %rows, %block : tensor<?x128xf32>
  %scaled = arith.mulf %product, %scale : tensor<?x128xf32>
  %more = arith.addf %sums, %scaled : tensor<?x128xf32>
  tile.return %more : tensor<?x128xf32>
}

tile.program @block_fnuz<%M, %N, %K>(%a: memref<?x?xf8E4M3FNUZ>, %b: memref<?x?xf8E4M3FNUZ>, %row_scales: memref<?x?xf32>,
                                           %block_scales: memref<?x?xf32>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%row_scales: %K ceildiv 128, %M] [%block_scales: %N ceildiv 128, %K ceildiv 128] [%c: %M, %N] {
  tile.param @BM in [64, 128]
  tile.forall (%pair, %n) in [%M ceildiv (2 * @BM), %N ceildiv 128] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %m0 = arith.muli %pair, %two : index
    %m1 = arith.addi %m0, %one : index
    %blocks = tile.extent [%K ceildiv 128]
    %none = tile.splat 0.0 [@BM, 128] : tensor<?x128xf32>
    %sums:2 = scf.for %k = %zero to %blocks step %one iter_args(%sums0 = %none, %sums1 = %none)
        -> (tensor<?x128xf32>, tensor<?x128xf32>) {
      %x0 = tile.load %a[%m0, %k] tile [@BM, 128] : memref<?x?xf8E4M3FNUZ> -> tensor<?x128xf8E4M3FNUZ>
      %x1 = tile.load %a[%m1, %k] tile [@BM, 128] : memref<?x?xf8E4M3FNUZ> -> tensor<?x128xf8E4M3FNUZ>
      %w = tile.load %b[%n, %k] tile [128, 128] : memref<?x?xf8E4M3FNUZ> -> tensor<128x128xf8E4M3FNUZ>
      %by_row0 = tile.load %row_scales[%k, %m0] tile [@BM] : memref<?x?xf32> -> tensor<?xf32>
      %by_row1 = tile.load %row_scales[%k, %m1] tile [@BM] : memref<?x?xf32> -> tensor<?xf32>
      %by_block = tile.load %block_scales[%n, %k] tile [] : memref<?x?xf32> -> tensor<f32>
      %more0 = tile.call @add_scaled<@BM>(%sums0, %x0, %w, %by_row0, %by_block)
          : (tensor<?x128xf32>, tensor<?x128xf8E4M3FNUZ>, tensor<128x128xf8E4M3FNUZ>, tensor<?xf32>, tensor<f32>) -> tensor<?x128xf32>
      %more1 = tile.call @add_scaled<@BM>(%sums1, %x1, %w, %by_row1, %by_block)
          : (tensor<?x128xf32>, tensor<?x128xf8E4M3FNUZ>, tensor<128x128xf8E4M3FNUZ>, tensor<?xf32>, tensor<f32>) -> tensor<?x128xf32>
      scf.yield %more0, %more1 : tensor<?x128xf32>, tensor<?x128xf32>
    }
    %rounded0 = arith.truncf %sums#0 : tensor<?x128xf32> to tensor<?x128xbf16>
    tile.store %rounded0, %c[%m0, %n] : tensor<?x128xbf16>, memref<?x?xbf16>
    %rounded1 = arith.truncf %sums#1 : tensor<?x128xf32> to tensor<?x128xbf16>
    tile.store %rounded1, %c[%m1, %n] : tensor<?x128xbf16>, memref<?x?xbf16>
  }
}
