// y = silu(x * gate^T) * (x * up^T) for each of some experts, all bf16, sums in f32.
tile.program @experts_gated<%E, %M, %N, %K>(%x: memref<?x?x?xbf16>, %gate: memref<?x?x?xbf16>, %up: memref<?x?x?xbf16>, %y: memref<?x?x?xbf16>)
    extents [%x: %E, %M, %K] [%gate: %E, %N, %K] [%up: %E, %N, %K] [%y: %E, %M, %N] {
  tile.param @BM in [64, 104, 128, 208]
  tile.param @BN in [64, 128]
  tile.param @BK in [32, 64]
  tile.matmul %x, transpose %gate, transpose %up into %y tiles [@BM, @BN, @BK] : memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xbf16>
      epilogue (%e, %row, %col, %g: tensor<?x?xf32>, %u: tensor<?x?xf32>) {
    %one = tile.splat 1.0 [@BM, @BN] : tensor<?x?xf32>
    %minus = arith.negf %g : tensor<?x?xf32>
    %exp = math.exp %minus : tensor<?x?xf32>
    %den = arith.addf %one, %exp : tensor<?x?xf32>
    %silu = arith.divf %g, %den : tensor<?x?xf32>
    %gated = arith.mulf %silu, %u : tensor<?x?xf32>
    %out = arith.truncf %gated : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.yield %out : tensor<?x?xbf16>
  }
}
