tile.use "../lib/attention.mlir"

// Attention without a mask, every head with keys and values of its own. q, o: H x T x 64; k, v: H x S x 64, bf16.
// A task keeps BM rows of one head and goes over all keys, with the running maximum and sum of its rows.
tile.program @flash_attention_full<%H, %T, %S>(%q: memref<?x?x64xbf16>, %k: memref<?x?x64xbf16>, %v: memref<?x?x64xbf16>, %o: memref<?x?x64xbf16>)
    extents [%q: %H, %T, 64] [%k: %H, %S, 64] [%v: %H, %S, 64] [%o: %H, %T, 64] {
  tile.param @BM in [64, 128, 32]
  tile.param @BN in [64, 32]
  %columns_of_tile = tile.extent [@BN]
  %blocks = tile.extent [%S ceildiv @BN]
  tile.forall (%h, %m) in [%H, %T ceildiv @BM] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %qt = tile.load %q[%h, %m, %c0] tile [@BM, 64] : memref<?x?x64xbf16> -> tensor<?x64xbf16>
    %column_in_tile = tile.iota dim 1 tile [@BM, @BN] : tensor<?x?xi32>
    %keys = arith.index_cast %S : index to i32
    %limit = tile.splat %keys [@BM, @BN] : tensor<?x?xi32>
    %low = tile.splat -1.0e30 [@BM] : tensor<?xf32>
    %none = tile.splat 0.0 [@BM] : tensor<?xf32>
    %nothing = tile.splat 0.0 [@BM, 64] : tensor<?x64xf32>
    %no_scores = tile.splat 0.0 [@BM, @BN] : tensor<?x?xf32>
    %hidden = tile.splat -1.0e30 [@BM, @BN] : tensor<?x?xf32>
    // log2(e) / sqrt(64)
    %scale = tile.splat 0.18033688 [@BM, @BN] : tensor<?x?xf32>
    %max, %sum, %acc = scf.for %n = %c0 to %blocks step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x64xf32>) {
      %kt = tile.load %k[%h, %n, %c0] tile [@BN, 64] : memref<?x?x64xbf16> -> tensor<?x64xbf16>
      %vt = tile.load %v[%h, %n, %c0] tile [@BN, 64] : memref<?x?x64xbf16> -> tensor<?x64xbf16>
      %dots = tile.dot %qt, transpose %kt, %no_scores : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x?xf32>
      %scores = arith.mulf %dots, %scale : tensor<?x?xf32>
      // keys behind the last one are not seen
      %first_column = arith.muli %n, %columns_of_tile : index
      %first_column_int = arith.index_cast %first_column : index to i32
      %first_columns = tile.splat %first_column_int [@BM, @BN] : tensor<?x?xi32>
      %columns = arith.addi %column_in_tile, %first_columns : tensor<?x?xi32>
      %visible = arith.cmpi slt, %columns, %limit : tensor<?x?xi32>
      %masked = arith.select %visible, %scores, %hidden : tensor<?x?xi1>, tensor<?x?xf32>
      %m1, %s1, %a1 = tile.call @add_block<@BM, @BN, 64>(%masked, %vt, %m0, %s0, %a0) : (tensor<?x?xf32>, tensor<?x64xbf16>, tensor<?xf32>, tensor<?xf32>, tensor<?x64xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x64xf32>)
      scf.yield %m1, %s1, %a1 : tensor<?xf32>, tensor<?xf32>, tensor<?x64xf32>
    }
    %mean = tile.call @mean<@BM, 64>(%acc, %sum) : (tensor<?x64xf32>, tensor<?xf32>) -> tensor<?x64xf32>
    %out = arith.truncf %mean : tensor<?x64xf32> to tensor<?x64xbf16>
    tile.store %out, %o[%h, %m, %c0] : tensor<?x64xbf16>, memref<?x?x64xbf16>
  }
}
