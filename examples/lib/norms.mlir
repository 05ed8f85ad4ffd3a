// Norms of rows.

// One over the root of a mean of squares: of their sum, and how many they are.
tile.fragment @inverse_root(%sum: tensor<f32>, %width: tensor<f32>) {
  %mean = arith.divf %sum, %width : tensor<f32>
  %eps = tile.splat 1.0e-6 [] : tensor<f32>
  %shifted = arith.addf %mean, %eps : tensor<f32>
  %inverse = math.rsqrt %shifted : tensor<f32>
  tile.return %inverse : tensor<f32>
}

// RMSNorm of R rows of N numbers, of which each is `width` numbers wide, times gamma.
tile.fragment @rms_norm<@R, @N>(%f: tensor<?x?xf32>, %gamma: tensor<?xbf16>, %width: tensor<?xf32>) {
  %squares = arith.mulf %f, %f : tensor<?x?xf32>
  %total = tile.reduce add %squares dim 1 : tensor<?x?xf32> -> tensor<?xf32>
  %mean = arith.divf %total, %width : tensor<?xf32>
  %eps = tile.splat 1.0e-6 [@R] : tensor<?xf32>
  %shifted = arith.addf %mean, %eps : tensor<?xf32>
  %inverse = math.rsqrt %shifted : tensor<?xf32>
  %inverse_b = tile.broadcast %inverse dims [0] tile [@R, @N] : tensor<?xf32> -> tensor<?x?xf32>
  %gf = arith.extf %gamma : tensor<?xbf16> to tensor<?xf32>
  %g_b = tile.broadcast %gf dims [1] tile [@R, @N] : tensor<?xf32> -> tensor<?x?xf32>
  %n = arith.mulf %f, %inverse_b : tensor<?x?xf32>
  %ng = arith.mulf %n, %g_b : tensor<?x?xf32>
  tile.return %ng : tensor<?x?xf32>
}
