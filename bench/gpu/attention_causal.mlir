// Causal attention: o = softmax(q k^T / sqrt(128)) v for each head. q, k, v, o: H x T x 128, bf16. A task keeps BM rows of queries and goes over the
// keys that they may see, with the running maximum and sum of its rows. Exponents are taken to base 2. Rows are scaled
// behind their maximum, so that each exponent is one product and sum.
!tokens = memref<?x?x128xbf16>
!q = tensor<?x128xbf16>
!acc = tensor<?x128xf32>
!row = tensor<?xf32>
!s = tensor<?x?xf32>
tile.program @attention_causal<%H, %T>(%q: !tokens, %k: !tokens, %v: !tokens, %o: !tokens)
    extents [%q: %H, %T, 128] [%k: %H, %T, 128] [%v: %H, %T, 128] [%o: %H, %T, 128] {
  tile.param @BM in [128, 64, 256] default 128
  tile.param @BN in [128, 64, 32] default 128
  %rows_of_tile = tile.extent [@BM]
  %columns_of_tile = tile.extent [@BN]
  %blocks = tile.extent [%T ceildiv @BN]
  %last_rows = tile.extent [%T ceildiv @BM - 1]
  // Tiles with the most keys come first.
  tile.forall (%h, %before) in [%H, %T ceildiv @BM] {
    %m = arith.subi %last_rows, %before : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %qt = tile.load %q[%h, %m, %c0] tile [@BM, 128] : !tokens -> !q
    %low = tile.splat -1.0e30 [@BM] : !row
    %none = tile.splat 0.0 [@BM] : !row
    %nothing = tile.splat 0.0 [@BM, 128] : !acc
    %no_scores = tile.splat 0.0 [@BM, @BN] : !s
    %hidden = tile.splat -1.0e30 [@BM, @BN] : !s
    // log2(e) / sqrt(128)
    %scale = tile.splat 0.12751743 [@BM, @BN] : !s
    %scale_of_row = tile.splat 0.12751743 [@BM] : !row
    %column_in_tile = tile.iota dim 1 tile [@BM, @BN] : tensor<?x?xi32>
    %first_row = arith.muli %m, %rows_of_tile : index
    %past_row = arith.addi %first_row, %rows_of_tile : index
    %seen = arith.ceildivui %past_row, %columns_of_tile : index
    %end = arith.minui %seen, %blocks : index
    %row_in_tile = tile.iota dim 0 tile [@BM, @BN] : tensor<?x?xi32>
    %first_row_int = arith.index_cast %first_row : index to i32
    %first_rows = tile.splat %first_row_int [@BM, @BN] : tensor<?x?xi32>
    %last = arith.addi %row_in_tile, %first_rows : tensor<?x?xi32>
    // Blocks up to the first row's own column are seen by all rows; others are masked.
    %first_visible = arith.addi %first_row, %c1 : index
    %max, %sum, %acc = scf.for %n = %c0 to %end step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (!row, !row, !acc) {
      %kt = tile.load %k[%h, %n, %c0] tile [@BN, 128] : !tokens -> !q
      %vt = tile.load %v[%h, %n, %c0] tile [@BN, 128] : !tokens -> !q
      %dots = tile.dot %qt, transpose %kt, %no_scores : !q, !q, !s
      %first_column = arith.muli %n, %columns_of_tile : index
      %past_column = arith.addi %first_column, %columns_of_tile : index
      %partly = arith.cmpi ugt, %past_column, %first_visible : index
      %seen_dots = scf.if %partly -> (!s) {
        %first_column_int = arith.index_cast %first_column : index to i32
        %first_columns = tile.splat %first_column_int [@BM, @BN] : tensor<?x?xi32>
        %columns = arith.addi %column_in_tile, %first_columns : tensor<?x?xi32>
        %visible = arith.cmpi sle, %columns, %last : tensor<?x?xi32>
        %masked = arith.select %visible, %dots, %hidden : tensor<?x?xi1>, !s
        scf.yield %masked : !s
      } else {
        scf.yield %dots : !s
      }
      %highest = tile.reduce maximum %seen_dots dim 1 : !s -> !row
      %here = arith.mulf %highest, %scale_of_row : !row
      %m1 = arith.maximumf %m0, %here : !row
      %mb = tile.broadcast %m1 dims [0] tile [@BM, @BN] : !row -> !s
      %scores = arith.mulf %seen_dots, %scale : !s
      %d = arith.subf %scores, %mb : !s
      %p = math.exp2 %d : !s
      %part = tile.reduce add %p dim 1 : !s -> !row
      %dm = arith.subf %m0, %m1 : !row
      %shrink = math.exp2 %dm : !row
      %old = arith.mulf %s0, %shrink : !row
      %s1 = arith.addf %old, %part : !row
      %shrink_b = tile.broadcast %shrink dims [0] tile [@BM, 128] : !row -> !acc
      %shrunk = arith.mulf %a0, %shrink_b : !acc
      %weights = arith.truncf %p : !s to tensor<?x?xbf16>
      %a1 = tile.dot %weights, %vt, %shrunk : tensor<?x?xbf16>, !q, !acc
      scf.yield %m1, %s1, %a1 : !row, !row, !acc
    }
    %sum_b = tile.broadcast %sum dims [0] tile [@BM, 128] : !row -> !acc
    %mean = arith.divf %acc, %sum_b : !acc
    %out = arith.truncf %mean : !acc to !q
    tile.store %out, %o[%h, %m, %c0] : !q, !tokens
  }
}
