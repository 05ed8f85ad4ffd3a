tile.use "../lib/attention.mlir"

// Attention over a sequence that is spread over the ranks, where keys and values stay: queries go round one way, and what they have found comes
// home the other way.
// In step s a rank has the queries of rank - s, in one of two copies; it passes them on to the other copy of the next rank, and sends what its own
// keys and values say to them to the rank that they are from: a mean, and the logarithm of its sum of weights. That one merges the W of them.
tile.program @token_ring<%H, %T>(%q: memref<?x?x64xbf16>, %k: memref<?x?x64xbf16>, %v: memref<?x?x64xbf16>, %o: memref<?x?x64xbf16>)
    extents [%q: %H, %T, 64] [%k: %H, %T, 64] [%v: %H, %T, 64] [%o: %H, %T, 64] {
  %queries = tile.alloc [2, %H, %T, 64] : memref<2x?x?x64xbf16, #tile.symmetric>
  %means = tile.alloc [W, %H, %T, 64] : memref<?x?x?x64xf32, #tile.symmetric>
  %sums = tile.alloc [W, %H, %T] : memref<?x?x?xf32, #tile.symmetric>
  %blocks = tile.extent [%T ceildiv 32]
  %steps = tile.extent [W]
  %last = tile.extent [W - 1]
  %rank = tile.rank
  %world = tile.world_size
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ahead = arith.addi %rank, %c1 : index
  %next = arith.remui %ahead, %world : index

  tile.forall (%h, %m) in [%H, %T ceildiv 32] {
    %qt = tile.load %q[%h, %m, %c0] tile [32, 64] : memref<?x?x64xbf16> -> tensor<32x64xbf16>
    tile.store %qt, %queries[%c0, %h, %m, %c0] : tensor<32x64xbf16>, memref<2x?x?x64xbf16, #tile.symmetric>
  }

  scf.for %s = %c0 to %steps step %c1 {
    %now = arith.remui %s, %c2 : index
    %after = arith.addi %s, %c1 : index
    %then = arith.remui %after, %c2 : index
    %more = arith.cmpi ult, %s, %last : index
    %around = arith.addi %rank, %world : index
    %from = arith.subi %around, %s : index
    %home = arith.remui %from, %world : index
    tile.forall (%h, %m) in [%H, %T ceildiv 32] {
      scf.if %more {
        %qt = tile.load %queries[%now, %h, %m, %c0] tile [32, 64] : memref<2x?x?x64xbf16, #tile.symmetric> -> tensor<32x64xbf16>
        tile.store %qt, %queries[%then, %h, %m, %c0] to %next : tensor<32x64xbf16>, memref<2x?x?x64xbf16, #tile.symmetric>
      }
    }
    tile.forall (%h, %m) in [%H, %T ceildiv 32] {
      %c32 = arith.constant 32 : index
      %qt = tile.load %queries[%now, %h, %m, %c0] tile [32, 64] : memref<2x?x?x64xbf16, #tile.symmetric> -> tensor<32x64xbf16>
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
      %max, %sum, %acc = scf.for %n = %c0 to %blocks step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>) {
        %kt = tile.load %k[%h, %n, %c0] tile [32, 64] : memref<?x?x64xbf16> -> tensor<32x64xbf16>
        %vt = tile.load %v[%h, %n, %c0] tile [32, 64] : memref<?x?x64xbf16> -> tensor<32x64xbf16>
        %dots = tile.dot %qt, transpose %kt, %no_scores : tensor<32x64xbf16>, tensor<32x64xbf16>, tensor<32x32xf32>
        %scores = arith.mulf %dots, %scale : tensor<32x32xf32>
        %first = arith.muli %n, %c32 : index
        %first_int = arith.index_cast %first : index to i32
        %base = tile.splat %first_int [32, 32] : tensor<32x32xi32>
        %columns = arith.addi %column, %base : tensor<32x32xi32>
        %inside = arith.cmpi slt, %columns, %limit : tensor<32x32xi32>
        %masked = arith.select %inside, %scores, %hidden : tensor<32x32xi1>, tensor<32x32xf32>
        %m1, %s1, %a1 = tile.call @add_block<32, 32, 64>(%masked, %vt, %m0, %s0, %a0) : (tensor<32x32xf32>, tensor<32x64xbf16>, tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>)
        scf.yield %m1, %s1, %a1 : tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>
      }
      %mean = tile.call @mean<32, 64>(%acc, %sum) : (tensor<32x64xf32>, tensor<32xf32>) -> tensor<32x64xf32>
      %log = math.log2 %sum : tensor<32xf32>
      %all = arith.addf %log, %max : tensor<32xf32>
      tile.store %mean, %means[%s, %h, %m, %c0] to %home : tensor<32x64xf32>, memref<?x?x?x64xf32, #tile.symmetric>
      tile.store %all, %sums[%s, %h, %m] to %home : tensor<32xf32>, memref<?x?x?xf32, #tile.symmetric>
    }
  }

  tile.forall (%h, %m) in [%H, %T ceildiv 32] {
    %low = tile.splat -3.0e38 [32] : tensor<32xf32>
    %none = tile.splat 0.0 [32] : tensor<32xf32>
    %nothing = tile.splat 0.0 [32, 64] : tensor<32x64xf32>
    %max, %sum, %acc = scf.for %s = %c0 to %steps step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>) {
      %mean = tile.load %means[%s, %h, %m, %c0] tile [32, 64] : memref<?x?x?x64xf32, #tile.symmetric> -> tensor<32x64xf32>
      %all = tile.load %sums[%s, %h, %m] tile [32] : memref<?x?x?xf32, #tile.symmetric> -> tensor<32xf32>
      %m1, %s1, %a1 = tile.call @add_part<32, 64>(%mean, %all, %m0, %s0, %a0) : (tensor<32x64xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>)
      scf.yield %m1, %s1, %a1 : tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>
    }
    %whole = tile.call @mean<32, 64>(%acc, %sum) : (tensor<32x64xf32>, tensor<32xf32>) -> tensor<32x64xf32>
    %out = arith.truncf %whole : tensor<32x64xf32> to tensor<32x64xbf16>
    tile.store %out, %o[%h, %m, %c0] : tensor<32x64xbf16>, memref<?x?x64xbf16>
  }
}
