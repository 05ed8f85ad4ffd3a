// y = (x - mean) / sqrt(variance + 1e-5) * gamma + beta for each row. x, y: M x 1024, bf16; gamma, beta: 1024, f32. A row is one tile.
tile.program @layer_norm<%M>(%x: memref<?x1024xbf16>, %gamma: memref<1024xf32>, %beta: memref<1024xf32>, %y: memref<?x1024xbf16>)
    extents [%x: %M, 1024] [%y: %M, 1024] {
  tile.param @BM in [1, 2, 4, 8, 16]
  tile.forall (%m) in [%M ceildiv @BM] {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%m, %c0] tile [@BM, 1024] : memref<?x1024xbf16> -> tensor<?x1024xbf16>
    %f = arith.extf %t : tensor<?x1024xbf16> to tensor<?x1024xf32>
    %width = tile.splat 1024.0 [@BM] : tensor<?xf32>
    %sum = tile.reduce add %f dim 1 : tensor<?x1024xf32> -> tensor<?xf32>
    %mean = arith.divf %sum, %width : tensor<?xf32>
    %mean_b = tile.broadcast %mean dims [0] tile [@BM, 1024] : tensor<?xf32> -> tensor<?x1024xf32>
    %d = arith.subf %f, %mean_b : tensor<?x1024xf32>
    %dd = arith.mulf %d, %d : tensor<?x1024xf32>
    %squares = tile.reduce add %dd dim 1 : tensor<?x1024xf32> -> tensor<?xf32>
    %variance = arith.divf %squares, %width : tensor<?xf32>
    %eps = tile.splat 1.0e-5 [@BM] : tensor<?xf32>
    %shifted = arith.addf %variance, %eps : tensor<?xf32>
    %scale = math.rsqrt %shifted : tensor<?xf32>
    %scale_b = tile.broadcast %scale dims [0] tile [@BM, 1024] : tensor<?xf32> -> tensor<?x1024xf32>
    %n = arith.mulf %d, %scale_b : tensor<?x1024xf32>
    %g = tile.load %gamma[%c0] tile [1024] : memref<1024xf32> -> tensor<1024xf32>
    %b = tile.load %beta[%c0] tile [1024] : memref<1024xf32> -> tensor<1024xf32>
    %g_b = tile.broadcast %g dims [1] tile [@BM, 1024] : tensor<1024xf32> -> tensor<?x1024xf32>
    %b_b = tile.broadcast %b dims [1] tile [@BM, 1024] : tensor<1024xf32> -> tensor<?x1024xf32>
    %r = math.fma %n, %g_b, %b_b : tensor<?x1024xf32>
    %out = arith.truncf %r : tensor<?x1024xf32> to tensor<?x1024xbf16>
    tile.store %out, %y[%m, %c0] : tensor<?x1024xbf16>, memref<?x1024xbf16>
  }
}
