tile.use "../lib/attention.mlir"

// Attention over a sequence that is spread over the ranks, as DeepSpeed-Ulysses does it: an all-to-all gives each rank all tokens of some
// heads, and another one brings the result back. T: tokens on each rank; H: heads that a rank attends with.
// q, k, v, o: W H x T x 64 on each rank, bf16. In the exchanged buffers row r * H + h holds the tokens of rank r for head h of this rank.
tile.program @ulysses<%H, %T>(%q: memref<?x?x64xbf16, #tile.symmetric>, %k: memref<?x?x64xbf16, #tile.symmetric>,
                              %v: memref<?x?x64xbf16, #tile.symmetric>, %o: memref<?x?x64xbf16, #tile.symmetric>)
    extents [%q: W * %H, %T, 64] [%k: W * %H, %T, 64] [%v: W * %H, %T, 64] [%o: W * %H, %T, 64] {
  %qs = tile.alloc [W * %H, %T, 64] : memref<?x?x64xbf16, #tile.symmetric>
  %ks = tile.alloc [W * %H, %T, 64] : memref<?x?x64xbf16, #tile.symmetric>
  %vs = tile.alloc [W * %H, %T, 64] : memref<?x?x64xbf16, #tile.symmetric>
  %os = tile.alloc [W * %H, %T, 64] : memref<?x?x64xbf16, #tile.symmetric>
  %blocks = tile.extent [%T ceildiv 32]
  %world = tile.world_size
  tile.all_to_all %q into %qs dim 0 : memref<?x?x64xbf16, #tile.symmetric>, memref<?x?x64xbf16, #tile.symmetric>
  tile.all_to_all %k into %ks dim 0 : memref<?x?x64xbf16, #tile.symmetric>, memref<?x?x64xbf16, #tile.symmetric>
  tile.all_to_all %v into %vs dim 0 : memref<?x?x64xbf16, #tile.symmetric>, memref<?x?x64xbf16, #tile.symmetric>
  tile.forall (%r, %h, %m) in [W, %H, %T ceildiv 32] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %row_of_rank = arith.muli %r, %H : index
    %row = arith.addi %row_of_rank, %h : index
    %qt = tile.load %qs[%row, %m, %c0] tile [32, 64] : memref<?x?x64xbf16, #tile.symmetric> -> tensor<32x64xbf16>
    %low = tile.splat -1.0e30 [32] : tensor<32xf32>
    %none = tile.splat 0.0 [32] : tensor<32xf32>
    %nothing = tile.splat 0.0 [32, 64] : tensor<32x64xf32>
    %no_scores = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    %hidden = tile.splat -1.0e30 [32, 32] : tensor<32x32xf32>
    // log2(e) / sqrt(64)
    %scale = tile.splat 0.18033688 [32, 32] : tensor<32x32xf32>
    %column = tile.iota dim 1 tile [32, 32] : tensor<32x32xi32>
    %tokens = arith.index_cast %T : index to i32
    %limit = tile.splat %tokens [32, 32] : tensor<32x32xi32>
    %max, %sum, %acc = scf.for %from = %c0 to %world step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>) {
      %rows_before = arith.muli %from, %H : index
      %kv_row = arith.addi %rows_before, %h : index
      %max_here, %sum_here, %acc_here = scf.for %n = %c0 to %blocks step %c1 iter_args(%m1 = %m0, %s1 = %s0, %a1 = %a0) -> (tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>) {
        %kt = tile.load %ks[%kv_row, %n, %c0] tile [32, 64] : memref<?x?x64xbf16, #tile.symmetric> -> tensor<32x64xbf16>
        %vt = tile.load %vs[%kv_row, %n, %c0] tile [32, 64] : memref<?x?x64xbf16, #tile.symmetric> -> tensor<32x64xbf16>
        %dots = tile.dot %qt, transpose %kt, %no_scores : tensor<32x64xbf16>, tensor<32x64xbf16>, tensor<32x32xf32>
        %scores = arith.mulf %dots, %scale : tensor<32x32xf32>
        %first = arith.muli %n, %c32 : index
        %first_int = arith.index_cast %first : index to i32
        %base = tile.splat %first_int [32, 32] : tensor<32x32xi32>
        %columns = arith.addi %column, %base : tensor<32x32xi32>
        %inside = arith.cmpi slt, %columns, %limit : tensor<32x32xi32>
        %masked = arith.select %inside, %scores, %hidden : tensor<32x32xi1>, tensor<32x32xf32>
        %m2, %s2, %a2 = tile.call @add_block<32, 32, 64>(%masked, %vt, %m1, %s1, %a1) : (tensor<32x32xf32>, tensor<32x64xbf16>, tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>)
        scf.yield %m2, %s2, %a2 : tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>
      }
      scf.yield %max_here, %sum_here, %acc_here : tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>
    }
    %mean = tile.call @mean<32, 64>(%acc, %sum) : (tensor<32x64xf32>, tensor<32xf32>) -> tensor<32x64xf32>
    %out = arith.truncf %mean : tensor<32x64xf32> to tensor<32x64xbf16>
    tile.store %out, %os[%row, %m, %c0] : tensor<32x64xbf16>, memref<?x?x64xbf16, #tile.symmetric>
  }
  tile.all_to_all %os into %o dim 0 : memref<?x?x64xbf16, #tile.symmetric>, memref<?x?x64xbf16, #tile.symmetric>
}
