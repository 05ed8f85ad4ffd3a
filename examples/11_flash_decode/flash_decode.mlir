tile.use "../lib/attention.mlir"

// One new token attends to T tokens on each rank: keys and values are spread over the ranks, and on a rank over four splits, of which the
// last ones are empty where T is small. Eight heads of queries share one of keys and values and are rows of a tile, which has the
// sixteen of a matrix instruction: the others are zero, and nobody stores them. Each split leaves its mean of values and the logarithm of its
// sum of weights; splits are merged on their rank, then ranks.
// q: H x 8 x 128; k, v: H x T x 128, bf16; o: H x 8 x 128, f32, the same on every rank.
tile.program @flash_decode<%H, %T>(%q: memref<?x8x128xbf16>, %k: memref<?x?x128xbf16>, %v: memref<?x?x128xbf16>, %o: memref<?x8x128xf32>)
    extents [%q: %H, 8, 128] [%k: %H, %T, 128] [%v: %H, %T, 128] [%o: %H, 8, 128] {
  tile.param @BN in [128, 64, 32]
  %split_o = tile.alloc [4, %H, 16, 128] : memref<4x?x16x128xf32>
  %split_l = tile.alloc [4, %H, 16] : memref<4x?x16xf32>
  %rank_o = tile.alloc [%H, 8, 128] : memref<?x8x128xf32, #tile.symmetric>
  %rank_l = tile.alloc [%H, 8] : memref<?x8xf32, #tile.symmetric>
  %all_o = tile.alloc [W * %H, 8, 128] : memref<?x8x128xf32, #tile.symmetric>
  %all_l = tile.alloc [W * %H, 8] : memref<?x8xf32, #tile.symmetric>
  %tokens_of_tile = tile.extent [@BN]
  %blocks = tile.extent [%T ceildiv @BN]
  %share = tile.extent [(%T ceildiv @BN) ceildiv 4]
  %world = tile.world_size
  tile.forall (%s, %h) in [4, %H] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %begin = arith.muli %s, %share : index
    %beyond = arith.addi %begin, %share : index
    %end = arith.minui %beyond, %blocks : index
    %qt = tile.load %q[%h, %c0, %c0] tile [16, 128] : memref<?x8x128xbf16> -> tensor<16x128xbf16>
    %low = tile.splat -1.0e30 [16] : tensor<16xf32>
    %none = tile.splat 0.0 [16] : tensor<16xf32>
    %nothing = tile.splat 0.0 [16, 128] : tensor<16x128xf32>
    %no_scores = tile.splat 0.0 [16, @BN] : tensor<16x?xf32>
    %hidden = tile.splat -1.0e30 [16, @BN] : tensor<16x?xf32>
    // log2(e) / sqrt(128)
    %scale = tile.splat 0.12751743 [16, @BN] : tensor<16x?xf32>
    %column = tile.iota dim 1 tile [16, @BN] : tensor<16x?xi32>
    %tokens = arith.index_cast %T : index to i32
    %limit = tile.splat %tokens [16, @BN] : tensor<16x?xi32>
    %max, %sum, %acc = scf.for %n = %begin to %end step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (tensor<16xf32>, tensor<16xf32>, tensor<16x128xf32>) {
      %kt = tile.load %k[%h, %n, %c0] tile [@BN, 128] : memref<?x?x128xbf16> -> tensor<?x128xbf16>
      %vt = tile.load %v[%h, %n, %c0] tile [@BN, 128] : memref<?x?x128xbf16> -> tensor<?x128xbf16>
      %dots = tile.dot %qt, transpose %kt, %no_scores : tensor<16x128xbf16>, tensor<?x128xbf16>, tensor<16x?xf32>
      %scores = arith.mulf %dots, %scale : tensor<16x?xf32>
      %first = arith.muli %n, %tokens_of_tile : index
      %first_int = arith.index_cast %first : index to i32
      %base = tile.splat %first_int [16, @BN] : tensor<16x?xi32>
      %columns = arith.addi %column, %base : tensor<16x?xi32>
      %inside = arith.cmpi slt, %columns, %limit : tensor<16x?xi32>
      %masked = arith.select %inside, %scores, %hidden : tensor<16x?xi1>, tensor<16x?xf32>
      %m1, %s1, %a1 = tile.call @add_block<16, @BN, 128>(%masked, %vt, %m0, %s0, %a0) : (tensor<16x?xf32>, tensor<?x128xbf16>, tensor<16xf32>, tensor<16xf32>, tensor<16x128xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16x128xf32>)
      scf.yield %m1, %s1, %a1 : tensor<16xf32>, tensor<16xf32>, tensor<16x128xf32>
    }
    // an empty split has a maximum of -1e30 and a sum of 0
    %tiny = tile.splat 1.0e-30 [16] : tensor<16xf32>
    %positive = arith.maximumf %sum, %tiny : tensor<16xf32>
    %positive_b = tile.broadcast %positive dims [0] tile [16, 128] : tensor<16xf32> -> tensor<16x128xf32>
    %mean = arith.divf %acc, %positive_b : tensor<16x128xf32>
    %log = math.log2 %positive : tensor<16xf32>
    %lse = arith.addf %log, %max : tensor<16xf32>
    tile.store %mean, %split_o[%s, %h, %c0, %c0] : tensor<16x128xf32>, memref<4x?x16x128xf32>
    tile.store %lse, %split_l[%s, %h, %c0] : tensor<16xf32>, memref<4x?x16xf32>
  }
  tile.forall (%h) in [%H] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %low = tile.splat -3.0e38 [16] : tensor<16xf32>
    %none = tile.splat 0.0 [16] : tensor<16xf32>
    %nothing = tile.splat 0.0 [16, 128] : tensor<16x128xf32>
    %max, %sum, %acc = scf.for %s = %c0 to %c4 step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (tensor<16xf32>, tensor<16xf32>, tensor<16x128xf32>) {
      %ot = tile.load %split_o[%s, %h, %c0, %c0] tile [16, 128] : memref<4x?x16x128xf32> -> tensor<16x128xf32>
      %lt = tile.load %split_l[%s, %h, %c0] tile [16] : memref<4x?x16xf32> -> tensor<16xf32>
      %m1, %s1, %a1 = tile.call @add_part<16, 128>(%ot, %lt, %m0, %s0, %a0) : (tensor<16x128xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x128xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16x128xf32>)
      scf.yield %m1, %s1, %a1 : tensor<16xf32>, tensor<16xf32>, tensor<16x128xf32>
    }
    %mean = tile.call @mean<16, 128>(%acc, %sum) : (tensor<16x128xf32>, tensor<16xf32>) -> tensor<16x128xf32>
    %log = math.log2 %sum : tensor<16xf32>
    %lse = arith.addf %log, %max : tensor<16xf32>
    tile.store %mean, %rank_o[%h, %c0, %c0] : tensor<16x128xf32>, memref<?x8x128xf32, #tile.symmetric>
    tile.store %lse, %rank_l[%h, %c0] : tensor<16xf32>, memref<?x8xf32, #tile.symmetric>
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
    tile.store %mean, %o[%h, %c0, %c0] : tensor<8x128xf32>, memref<?x8x128xf32>
  }
}
