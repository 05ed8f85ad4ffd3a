tile.use "../../examples/lib/attention.mlir"

// One new token attends to W x T tokens, T of them on each device: q: H x 8 x 128; k, v: H x T x 128, bf16; o: H x 8 x 128, bf16, the same on
// every rank. Heads and splits as in decode.mlir; what the splits of a rank have found goes to all ranks, and each merges what it gets.
tile.program @decode_across<%H, %T>(%q: memref<?x8x128xbf16>, %k: memref<?x?x128xbf16>, %v: memref<?x?x128xbf16>, %o: memref<?x8x128xbf16>)
    extents [%q: %H, 8, 128] [%k: %H, %T, 128] [%v: %H, %T, 128] [%o: %H, 8, 128] {
  tile.param @SPLITS in [11, 8, 5, 3, 2]
  tile.param @BN in [128, 64, 32]
  tile.param @BM in [64, 16]
  %split_o = tile.alloc [@SPLITS, %H, 8, 128] : memref<?x?x8x128xf32>
  %split_l = tile.alloc [@SPLITS, %H, 8] : memref<?x?x8xf32>
  %rank_o = tile.alloc [%H, 8, 128] : memref<?x8x128xf32, #tile.symmetric>
  %rank_l = tile.alloc [%H, 8] : memref<?x8xf32, #tile.symmetric>
  %all_o = tile.alloc [W * %H, 8, 128] : memref<?x8x128xf32, #tile.symmetric>
  %all_l = tile.alloc [W * %H, 8] : memref<?x8xf32, #tile.symmetric>
  %world = tile.world_size
  %splits = tile.extent [@SPLITS]
  %columns = tile.extent [@BN]
  %blocks = tile.extent [%T ceildiv @BN]
  %share = tile.extent [(%T ceildiv @BN) ceildiv @SPLITS]
  tile.forall (%s, %h) in [@SPLITS, %H] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %begin = arith.muli %s, %share : index
    %beyond = arith.addi %begin, %share : index
    %end = arith.minui %beyond, %blocks : index
    %qt = tile.load %q[%h, %c0, %c0] tile [@BM, 128] : memref<?x8x128xbf16> -> tensor<?x128xbf16>
    %low = tile.splat -1.0e30 [@BM] : tensor<?xf32>
    %none = tile.splat 0.0 [@BM] : tensor<?xf32>
    %nothing = tile.splat 0.0 [@BM, 128] : tensor<?x128xf32>
    %no_scores = tile.splat 0.0 [@BM, @BN] : tensor<?x?xf32>
    %hidden = tile.splat -1.0e30 [@BM, @BN] : tensor<?x?xf32>
    // log2(e) / sqrt(128)
    %scale = tile.splat 0.12751743 [@BM, @BN] : tensor<?x?xf32>
    %scale_of_row = tile.splat 0.12751743 [@BM] : tensor<?xf32>
    %column = tile.iota dim 1 tile [@BM, @BN] : tensor<?x?xi32>
    // Blocks with columns behind the last token are masked.
    %tokens = arith.index_cast %T : index to i32
    %limit = tile.splat %tokens [@BM, @BN] : tensor<?x?xi32>
    %max, %sum, %acc = scf.for %n = %begin to %end step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x128xf32>) {
      %kt = tile.load %k[%h, %n, %c0] tile [@BN, 128] : memref<?x?x128xbf16> -> tensor<?x128xbf16>
      %vt = tile.load %v[%h, %n, %c0] tile [@BN, 128] : memref<?x?x128xbf16> -> tensor<?x128xbf16>
      %dots = tile.dot %qt, transpose %kt, %no_scores : tensor<?x128xbf16>, tensor<?x128xbf16>, tensor<?x?xf32>
      %first = arith.muli %n, %columns : index
      %past = arith.addi %first, %columns : index
      %partly = arith.cmpi ugt, %past, %T : index
      %seen = scf.if %partly -> (tensor<?x?xf32>) {
        %first_int = arith.index_cast %first : index to i32
        %base = tile.splat %first_int [@BM, @BN] : tensor<?x?xi32>
        %places = arith.addi %column, %base : tensor<?x?xi32>
        %inside = arith.cmpi slt, %places, %limit : tensor<?x?xi32>
        %masked = arith.select %inside, %dots, %hidden : tensor<?x?xi1>, tensor<?x?xf32>
        scf.yield %masked : tensor<?x?xf32>
      } else {
        scf.yield %dots : tensor<?x?xf32>
      }
      %highest = tile.reduce maximum %seen dim 1 : tensor<?x?xf32> -> tensor<?xf32>
      %here = arith.mulf %highest, %scale_of_row : tensor<?xf32>
      %m1 = arith.maximumf %m0, %here : tensor<?xf32>
      %mb = tile.broadcast %m1 dims [0] tile [@BM, @BN] : tensor<?xf32> -> tensor<?x?xf32>
      %scores = arith.mulf %seen, %scale : tensor<?x?xf32>
      %d = arith.subf %scores, %mb : tensor<?x?xf32>
      %p = math.exp2 %d : tensor<?x?xf32>
      %part = tile.reduce add %p dim 1 : tensor<?x?xf32> -> tensor<?xf32>
      %dm = arith.subf %m0, %m1 : tensor<?xf32>
      %shrink = math.exp2 %dm : tensor<?xf32>
      %old = arith.mulf %s0, %shrink : tensor<?xf32>
      %s1 = arith.addf %old, %part : tensor<?xf32>
      %shrink_b = tile.broadcast %shrink dims [0] tile [@BM, 128] : tensor<?xf32> -> tensor<?x128xf32>
      %shrunk = arith.mulf %a0, %shrink_b : tensor<?x128xf32>
      %weights = arith.truncf %p : tensor<?x?xf32> to tensor<?x?xbf16>
      %a1 = tile.dot %weights, %vt, %shrunk : tensor<?x?xbf16>, tensor<?x128xbf16>, tensor<?x128xf32>
      scf.yield %m1, %s1, %a1 : tensor<?xf32>, tensor<?xf32>, tensor<?x128xf32>
    }
    // an empty split has a maximum of -1e30 and a sum of 0
    %tiny = tile.splat 1.0e-30 [@BM] : tensor<?xf32>
    %positive = arith.maximumf %sum, %tiny : tensor<?xf32>
    %positive_b = tile.broadcast %positive dims [0] tile [@BM, 128] : tensor<?xf32> -> tensor<?x128xf32>
    %mean = arith.divf %acc, %positive_b : tensor<?x128xf32>
    %log = math.log2 %positive : tensor<?xf32>
    %lse = arith.addf %log, %max : tensor<?xf32>
    tile.store %mean, %split_o[%s, %h, %c0, %c0] : tensor<?x128xf32>, memref<?x?x8x128xf32>
    tile.store %lse, %split_l[%s, %h, %c0] : tensor<?xf32>, memref<?x?x8xf32>
  }
  tile.forall (%h) in [%H] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %low = tile.splat -3.0e38 [8] : tensor<8xf32>
    %none = tile.splat 0.0 [8] : tensor<8xf32>
    %nothing = tile.splat 0.0 [8, 128] : tensor<8x128xf32>
    %max, %sum, %acc = scf.for %s = %c0 to %splits step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>) {
      %ot = tile.load %split_o[%s, %h, %c0, %c0] tile [8, 128] : memref<?x?x8x128xf32> -> tensor<8x128xf32>
      %lt = tile.load %split_l[%s, %h, %c0] tile [8] : memref<?x?x8xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %lt : tensor<8xf32>
      %dm = arith.subf %m0, %m1 : tensor<8xf32>
      %shrink = math.exp2 %dm : tensor<8xf32>
      %dt = arith.subf %lt, %m1 : tensor<8xf32>
      %weight = math.exp2 %dt : tensor<8xf32>
      %old = arith.mulf %s0, %shrink : tensor<8xf32>
      %s1 = arith.addf %old, %weight : tensor<8xf32>
      %shrink_b = tile.broadcast %shrink dims [0] tile [8, 128] : tensor<8xf32> -> tensor<8x128xf32>
      %weight_b = tile.broadcast %weight dims [0] tile [8, 128] : tensor<8xf32> -> tensor<8x128xf32>
      %shrunk = arith.mulf %a0, %shrink_b : tensor<8x128xf32>
      %weighted = arith.mulf %ot, %weight_b : tensor<8x128xf32>
      %a1 = arith.addf %shrunk, %weighted : tensor<8x128xf32>
      scf.yield %m1, %s1, %a1 : tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>
    }
    %sum_b = tile.broadcast %sum dims [0] tile [8, 128] : tensor<8xf32> -> tensor<8x128xf32>
    %mean = arith.divf %acc, %sum_b : tensor<8x128xf32>
    %log = math.log2 %sum : tensor<8xf32>
    %lse = arith.addf %log, %max : tensor<8xf32>
    tile.store %mean, %rank_o[%h, %c0, %c0] : tensor<8x128xf32>, memref<?x8x128xf32, #tile.symmetric>
    tile.store %lse, %rank_l[%h, %c0] : tensor<8xf32>, memref<?x8xf32, #tile.symmetric>
  }
  tile.all_gather %rank_o into %all_o dim 0 : memref<?x8x128xf32, #tile.symmetric>, memref<?x8x128xf32, #tile.symmetric>
  tile.all_gather %rank_l into %all_l dim 0 : memref<?x8xf32, #tile.symmetric>, memref<?x8xf32, #tile.symmetric>
  tile.forall (%h) in [%H] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %low = tile.splat -3.0e38 [8] : tensor<8xf32>
    %none = tile.splat 0.0 [8] : tensor<8xf32>
    %nothing = tile.splat 0.0 [8, 128] : tensor<8x128xf32>
    %sum, %acc, %max = scf.for %r = %c0 to %world step %c1 iter_args(%s0 = %none, %a0 = %nothing, %m0 = %low) -> (tensor<8xf32>, tensor<8x128xf32>, tensor<8xf32>) {
      %before = arith.muli %r, %H : index
      %at = arith.addi %before, %h : index
      %ot = tile.load %all_o[%at, %c0, %c0] tile [8, 128] : memref<?x8x128xf32, #tile.symmetric> -> tensor<8x128xf32>
      %lt = tile.load %all_l[%at, %c0] tile [8] : memref<?x8xf32, #tile.symmetric> -> tensor<8xf32>
      %m1, %s1, %a1 = tile.call @add_part<8, 128>(%ot, %lt, %m0, %s0, %a0) : (tensor<8x128xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>)
      scf.yield %s1, %a1, %m1 : tensor<8xf32>, tensor<8x128xf32>, tensor<8xf32>
    }
    %mean = tile.call @mean<8, 128>(%acc, %sum) : (tensor<8x128xf32>, tensor<8xf32>) -> tensor<8x128xf32>
    %out = arith.truncf %mean : tensor<8x128xf32> to tensor<8x128xbf16>
    tile.store %out, %o[%h, %c0, %c0] : tensor<8x128xbf16>, memref<?x8x128xbf16>
  }
}
