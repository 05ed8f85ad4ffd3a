tile.use "../lib/attention.mlir"

// Causal attention over a sequence that is spread over the ranks, as a loop over steps.
// In step s a rank has keys and values of rank - s, in one of two copies; it passes them on to the other copy of the next rank, and adds what
// its queries may see of them to the running maximum, sum and mean. The three statements of a step run side by side.
tile.program @ring_attention<%H, %T>(%q: memref<?x?x64xbf16>, %k: memref<?x?x64xbf16>, %v: memref<?x?x64xbf16>, %o: memref<?x?x64xbf16>)
    extents [%q: %H, %T, 64] [%k: %H, %T, 64] [%v: %H, %T, 64] [%o: %H, %T, 64] {
  %max = tile.alloc [%H, %T] : memref<?x?xf32>
  %sum = tile.alloc [%H, %T] : memref<?x?xf32>
  %acc = tile.alloc [%H, %T, 64] : memref<?x?x64xf32>
  %keys = tile.alloc [2, %H, %T, 64] : memref<2x?x?x64xbf16, #tile.symmetric>
  %values = tile.alloc [2, %H, %T, 64] : memref<2x?x?x64xbf16, #tile.symmetric>
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
    %kt = tile.load %k[%h, %m, %c0] tile [32, 64] : memref<?x?x64xbf16> -> tensor<32x64xbf16>
    tile.store %kt, %keys[%c0, %h, %m, %c0] : tensor<32x64xbf16>, memref<2x?x?x64xbf16, #tile.symmetric>
    %vt = tile.load %v[%h, %m, %c0] tile [32, 64] : memref<?x?x64xbf16> -> tensor<32x64xbf16>
    tile.store %vt, %values[%c0, %h, %m, %c0] : tensor<32x64xbf16>, memref<2x?x?x64xbf16, #tile.symmetric>
    %max0 = tile.splat -1.0e30 [32] : tensor<32xf32>
    %sum0 = tile.splat 0.0 [32] : tensor<32xf32>
    %acc0 = tile.splat 0.0 [32, 64] : tensor<32x64xf32>
    tile.store %max0, %max[%h, %m] : tensor<32xf32>, memref<?x?xf32>
    tile.store %sum0, %sum[%h, %m] : tensor<32xf32>, memref<?x?xf32>
    tile.store %acc0, %acc[%h, %m, %c0] : tensor<32x64xf32>, memref<?x?x64xf32>
  }

  scf.for %s = %c0 to %steps step %c1 {
    %now = arith.remui %s, %c2 : index
    %after = arith.addi %s, %c1 : index
    %then = arith.remui %after, %c2 : index
    %more = arith.cmpi ult, %s, %last : index
    tile.forall (%h, %m) in [%H, %T ceildiv 32] {
      scf.if %more {
        %kt = tile.load %keys[%now, %h, %m, %c0] tile [32, 64] : memref<2x?x?x64xbf16, #tile.symmetric> -> tensor<32x64xbf16>
        tile.store %kt, %keys[%then, %h, %m, %c0] to %next : tensor<32x64xbf16>, memref<2x?x?x64xbf16, #tile.symmetric>
      }
    }
    tile.forall (%h, %m) in [%H, %T ceildiv 32] {
      scf.if %more {
        %vt = tile.load %values[%now, %h, %m, %c0] tile [32, 64] : memref<2x?x?x64xbf16, #tile.symmetric> -> tensor<32x64xbf16>
        tile.store %vt, %values[%then, %h, %m, %c0] to %next : tensor<32x64xbf16>, memref<2x?x?x64xbf16, #tile.symmetric>
      }
    }
    tile.forall (%h, %m) in [%H, %T ceildiv 32] {
      %c32 = arith.constant 32 : index
      %sees = arith.cmpi uge, %rank, %s : index
      %end = arith.select %sees, %blocks, %c0 : index
      %qt = tile.load %q[%h, %m, %c0] tile [32, 64] : memref<?x?x64xbf16> -> tensor<32x64xbf16>
      %no_scores = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
      %hidden = tile.splat -1.0e30 [32, 32] : tensor<32x32xf32>
      // log2(e) / sqrt(64)
      %scale = tile.splat 0.18033688 [32, 32] : tensor<32x32xf32>
      %max0 = tile.load %max[%h, %m] tile [32] : memref<?x?xf32> -> tensor<32xf32>
      %sum0 = tile.load %sum[%h, %m] tile [32] : memref<?x?xf32> -> tensor<32xf32>
      %acc0 = tile.load %acc[%h, %m, %c0] tile [32, 64] : memref<?x?x64xf32> -> tensor<32x64xf32>
      %column = tile.iota dim 1 tile [32, 32] : tensor<32x32xi32>
      %row = tile.iota dim 0 tile [32, 32] : tensor<32x32xi32>
      // a query sees the keys of earlier ranks, and of its own those up to itself
      %first_row = arith.muli %m, %c32 : index
      %behind = arith.muli %s, %T : index
      %seen = arith.addi %first_row, %behind : index
      %seen_int = arith.index_cast %seen : index to i32
      %first_rows = tile.splat %seen_int [32, 32] : tensor<32x32xi32>
      %rows = arith.addi %row, %first_rows : tensor<32x32xi32>
      %tokens = arith.index_cast %T : index to i32
      %limit = tile.splat %tokens [32, 32] : tensor<32x32xi32>
      %max1, %sum1, %acc1 = scf.for %n = %c0 to %end step %c1 iter_args(%m0 = %max0, %s0 = %sum0, %a0 = %acc0) -> (tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>) {
        %kt = tile.load %keys[%now, %h, %n, %c0] tile [32, 64] : memref<2x?x?x64xbf16, #tile.symmetric> -> tensor<32x64xbf16>
        %vt = tile.load %values[%now, %h, %n, %c0] tile [32, 64] : memref<2x?x?x64xbf16, #tile.symmetric> -> tensor<32x64xbf16>
        %dots = tile.dot %qt, transpose %kt, %no_scores : tensor<32x64xbf16>, tensor<32x64xbf16>, tensor<32x32xf32>
        %scores = arith.mulf %dots, %scale : tensor<32x32xf32>
        %first = arith.muli %n, %c32 : index
        %first_int = arith.index_cast %first : index to i32
        %base = tile.splat %first_int [32, 32] : tensor<32x32xi32>
        %columns = arith.addi %column, %base : tensor<32x32xi32>
        %past = arith.cmpi sle, %columns, %rows : tensor<32x32xi32>
        %inside = arith.cmpi slt, %columns, %limit : tensor<32x32xi32>
        %visible = arith.andi %past, %inside : tensor<32x32xi1>
        %masked = arith.select %visible, %scores, %hidden : tensor<32x32xi1>, tensor<32x32xf32>
        %m1, %s1, %a1 = tile.call @add_block<32, 32, 64>(%masked, %vt, %m0, %s0, %a0) : (tensor<32x32xf32>, tensor<32x64xbf16>, tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>)
        scf.yield %m1, %s1, %a1 : tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>
      }
      tile.store %max1, %max[%h, %m] : tensor<32xf32>, memref<?x?xf32>
      tile.store %sum1, %sum[%h, %m] : tensor<32xf32>, memref<?x?xf32>
      tile.store %acc1, %acc[%h, %m, %c0] : tensor<32x64xf32>, memref<?x?x64xf32>
    }
  }

  tile.forall (%h, %m) in [%H, %T ceildiv 32] {
    %sum0 = tile.load %sum[%h, %m] tile [32] : memref<?x?xf32> -> tensor<32xf32>
    %acc0 = tile.load %acc[%h, %m, %c0] tile [32, 64] : memref<?x?x64xf32> -> tensor<32x64xf32>
    %mean = tile.call @mean<32, 64>(%acc0, %sum0) : (tensor<32x64xf32>, tensor<32xf32>) -> tensor<32x64xf32>
    %out = arith.truncf %mean : tensor<32x64xf32> to tensor<32x64xbf16>
    tile.store %out, %o[%h, %m, %c0] : tensor<32x64xbf16>, memref<?x?x64xbf16>
  }
}
