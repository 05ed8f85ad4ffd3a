// h = silu(x * gate^T + bias) * (x * up^T): the gated half of an MLP, weights stored N x K.
tile.program @matmul<%M, %N, %K>(%x: memref<?x?xbf16>, %gate: memref<?x?xbf16>, %up: memref<?x?xbf16>, %bias: memref<?xf32>,
                                 %h: memref<?x?xbf16>)
    extents [%x: %M, %K] [%gate: %N, %K] [%up: %N, %K] [%bias: %N] [%h: %M, %N] {
  tile.param @BM in [64, 128]
  tile.param @BN in [64, 128]
  tile.param @BK in [32, 64]
  tile.matmul %x, transpose %gate, transpose %up into %h tiles [@BM, @BN, @BK]
      : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
      epilogue (%row, %col, %g: tensor<?x?xf32>, %u: tensor<?x?xf32>) {
    %b = tile.load %bias at (%col) tile [@BN] : memref<?xf32> -> tensor<?xf32>
    %shift = tile.broadcast %b dims [1] tile [@BM, @BN] : tensor<?xf32> -> tensor<?x?xf32>
    %biased = arith.addf %g, %shift : tensor<?x?xf32>
    %one = tile.splat 1.0 [@BM, @BN] : tensor<?x?xf32>
    %minus = arith.negf %biased : tensor<?x?xf32>
    %exp = math.exp %minus : tensor<?x?xf32>
    %den = arith.addf %one, %exp : tensor<?x?xf32>
    %silu = arith.divf %biased, %den : tensor<?x?xf32>
    %gated = arith.mulf %silu, %u : tensor<?x?xf32>
    %out = arith.truncf %gated : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.yield %out : tensor<?x?xbf16>
  }
}
