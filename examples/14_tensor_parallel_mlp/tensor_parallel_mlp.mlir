// y = the sum over ranks of (silu(x gate^T) * (x up^T)) down^T, x and y with their rows spread over the ranks: an MLP whose hidden
// columns are spread. x, y: M x D on each rank; gate, up: F x D; down: D x F, bf16.
tile.program @tensor_parallel_mlp<%M, %D, %F>(%x: memref<?x?xbf16, #tile.symmetric>, %gate: memref<?x?xbf16>, %up: memref<?x?xbf16>,
                                              %down: memref<?x?xbf16>, %y: memref<?x?xbf16>)
    extents [%x: %M, %D] [%gate: %F, %D] [%up: %F, %D] [%down: %D, %F] [%y: %M, %D] {
  tile.param @BM in [64, 128]
  tile.param @BN in [64, 128]
  tile.param @BK in [32, 64]
  %full = tile.alloc [W * %M, %D] : memref<?x?xbf16, #tile.symmetric>
  %h = tile.alloc [W * %M, %F] : memref<?x?xbf16>
  %part = tile.alloc [W * %M, %D] : memref<?x?xf32, #tile.symmetric>
  tile.all_gather %x into %full dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %full, transpose %gate, transpose %up into %h tiles [@BM, @BN, @BK]
      : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
      epilogue (%row, %col, %g: tensor<?x?xf32>, %u: tensor<?x?xf32>) {
    %one = tile.splat 1.0 [@BM, @BN] : tensor<?x?xf32>
    %minus = arith.negf %g : tensor<?x?xf32>
    %exp = math.exp %minus : tensor<?x?xf32>
    %den = arith.addf %one, %exp : tensor<?x?xf32>
    %silu = arith.divf %g, %den : tensor<?x?xf32>
    %gated = arith.mulf %silu, %u : tensor<?x?xf32>
    %out = arith.truncf %gated : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.yield %out : tensor<?x?xbf16>
  }
  tile.matmul %h, transpose %down into %part : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32, #tile.symmetric>
  tile.reduce_scatter %part into %y dim 0 : memref<?x?xf32, #tile.symmetric>, memref<?x?xbf16>
}
