tile.use "../lib/attention.mlir"

// Causal attention of grouped queries: four heads of queries share one of keys and values. q, o: 4 H x T x 64; k, v: H x T x 64, bf16.
// A task keeps BM rows of one head and goes over the keys that they may see, with the running maximum and sum of its rows.
tile.program @flash_attention<%H, %T>(%q: memref<?x?x64xbf16>, %k: memref<?x?x64xbf16>, %v: memref<?x?x64xbf16>, %o: memref<?x?x64xbf16>)
    extents [%q: 4 * %H, %T, 64] [%k: %H, %T, 64] [%v: %H, %T, 64] [%o: 4 * %H, %T, 64] {
  tile.param @BM in [64, 128, 32]
  tile.param @BN in [64, 32]
  %rows_of_tile = tile.extent [@BM]
  %columns_of_tile = tile.extent [@BN]
  %blocks = tile.extent [%T ceildiv @BN]
  tile.forall (%h, %m) in [4 * %H, %T ceildiv @BM] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %kv_head = arith.divui %h, %c4 : index
    %first_row = arith.muli %m, %rows_of_tile : index
    %past_row = arith.addi %first_row, %rows_of_tile : index
    %seen = arith.ceildivui %past_row, %columns_of_tile : index
    %end = arith.minui %seen, %blocks : index
    %qt = tile.load %q[%h, %m, %c0] tile [@BM, 64] : memref<?x?x64xbf16> -> tensor<?x64xbf16>
    %row_in_tile = tile.iota dim 0 tile [@BM, @BN] : tensor<?x?xi32>
    %first_row_int = arith.index_cast %first_row : index to i32
    %first_rows = tile.splat %first_row_int [@BM, @BN] : tensor<?x?xi32>
    %rows = arith.addi %row_in_tile, %first_rows : tensor<?x?xi32>
    %column_in_tile = tile.iota dim 1 tile [@BM, @BN] : tensor<?x?xi32>
    %low = tile.splat -1.0e30 [@BM] : tensor<?xf32>
    %none = tile.splat 0.0 [@BM] : tensor<?xf32>
    %nothing = tile.splat 0.0 [@BM, 64] : tensor<?x64xf32>
    %no_scores = tile.splat 0.0 [@BM, @BN] : tensor<?x?xf32>
    %hidden = tile.splat -1.0e30 [@BM, @BN] : tensor<?x?xf32>
    // log2(e) / sqrt(64)
    %scale = tile.splat 0.18033688 [@BM, @BN] : tensor<?x?xf32>
    %max, %sum, %acc = scf.for %n = %c0 to %end step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x64xf32>) {
      %kt = tile.load %k[%kv_head, %n, %c0] tile [@BN, 64] : memref<?x?x64xbf16> -> tensor<?x64xbf16>
      %vt = tile.load %v[%kv_head, %n, %c0] tile [@BN, 64] : memref<?x?x64xbf16> -> tensor<?x64xbf16>
      %dots = tile.dot %qt, transpose %kt, %no_scores : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x?xf32>
      %scores = arith.mulf %dots, %scale : tensor<?x?xf32>
      %first_column = arith.muli %n, %columns_of_tile : index
      %first_column_int = arith.index_cast %first_column : index to i32
      %first_columns = tile.splat %first_column_int [@BM, @BN] : tensor<?x?xi32>
      %columns = arith.addi %column_in_tile, %first_columns : tensor<?x?xi32>
      %visible = arith.cmpi sle, %columns, %rows : tensor<?x?xi32>
      %masked = arith.select %visible, %scores, %hidden : tensor<?x?xi1>, tensor<?x?xf32>
      %m1, %s1, %a1 = tile.call @add_block<@BM, @BN, 64>(%masked, %vt, %m0, %s0, %a0) : (tensor<?x?xf32>, tensor<?x64xbf16>, tensor<?xf32>, tensor<?xf32>, tensor<?x64xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x64xf32>)
      scf.yield %m1, %s1, %a1 : tensor<?xf32>, tensor<?xf32>, tensor<?x64xf32>
    }
    %mean = tile.call @mean<@BM, 64>(%acc, %sum) : (tensor<?x64xf32>, tensor<?xf32>) -> tensor<?x64xf32>
    %out = arith.truncf %mean : tensor<?x64xf32> to tensor<?x64xbf16>
    tile.store %out, %o[%h, %m, %c0] : tensor<?x64xbf16>, memref<?x?x64xbf16>
  }
}
