// Products of eight-bit floats whose parts have scales.

// Adds the product of BM rows and BN columns of a depth of 128, times a scale for each row and one for all of it.
tile.fragment @add_scaled<@BM, @BN>(%sums: tensor<?x?xf32>, %x: tensor<?x128xf8E4M3FN>, %w: tensor<?x128xf8E4M3FN>,
                                    %by_row: tensor<?xf32>, %by_block: tensor<f32>) {
  %none = tile.splat 0.0 [@BM, @BN] : tensor<?x?xf32>
  %product = tile.dot %x, transpose %w, %none : tensor<?x128xf8E4M3FN>, tensor<?x128xf8E4M3FN>, tensor<?x?xf32>
  %rows = tile.broadcast %by_row dims [0] tile [@BM, @BN] : tensor<?xf32> -> tensor<?x?xf32>
  %block = tile.broadcast %by_block dims [] tile [@BM, @BN] : tensor<f32> -> tensor<?x?xf32>
  %scale = arith.mulf %rows, %block : tensor<?x?xf32>
  %scaled = arith.mulf %product, %scale : tensor<?x?xf32>
  %more = arith.addf %sums, %scaled : tensor<?x?xf32>
  tile.return %more : tensor<?x?xf32>
}
