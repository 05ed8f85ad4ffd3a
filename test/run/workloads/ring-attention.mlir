// RUN: tilec %s --world 4 --target gfx942 --emit=hip > %t.gfx942.hip && %generate --offload-arch=gfx942 %t.gfx942.hip
// RUN: %if full %{ tilec %s --world 4 --target gfx950 --emit=hip > %t.gfx950.hip && %generate --offload-arch=gfx950 %t.gfx950.hip %}
// RUN: for w in $(%some 1 2 4 3); do tilec run %s --world $w --extents-from 1,40 --extent H=1 --launches 2 || exit 1; done
// RUN: tilec run %s --world 2 --extents-from 40 --extent H=1 > %t.txt && python3 %S/../coverage/Inputs/bound_ratio.py %t.txt 100 300

// Causal attention over a sequence that is spread over up to four ranks: keys and values go round the ring of ranks, unrolled. In step s a
// rank has those of rank - s, and adds what its queries may see of them to the running maximum, sum and mean; there is nothing to see of
// later ranks, nor in steps that a smaller world does not have. Each step has buffers of its own. T: tokens on each rank.
// q, k, v, o: H x T x 64, bf16.
tile.program @ring_attention<%H, %T>(%q: memref<?x?x64xbf16>, %k: memref<?x?x64xbf16>, %v: memref<?x?x64xbf16>, %o: memref<?x?x64xbf16>)
    extents [%q: %H, %T, 64] [%k: %H, %T, 64] [%v: %H, %T, 64] [%o: %H, %T, 64] {
  %max = tile.alloc [%H, %T] : memref<?x?xf32>
  %sum = tile.alloc [%H, %T] : memref<?x?xf32>
  %acc = tile.alloc [%H, %T, 64] : memref<?x?x64xf32>
  %k1 = tile.alloc [%H, %T, 64] : memref<?x?x64xbf16, #tile.symmetric>
  %v1 = tile.alloc [%H, %T, 64] : memref<?x?x64xbf16, #tile.symmetric>
  %k2 = tile.alloc [%H, %T, 64] : memref<?x?x64xbf16, #tile.symmetric>
  %v2 = tile.alloc [%H, %T, 64] : memref<?x?x64xbf16, #tile.symmetric>
  %k3 = tile.alloc [%H, %T, 64] : memref<?x?x64xbf16, #tile.symmetric>
  %v3 = tile.alloc [%H, %T, 64] : memref<?x?x64xbf16, #tile.symmetric>
  %blocks = tile.extent [%T ceildiv 32]
  %rank = tile.rank

  // step 0
  tile.forall (%h, %m) in [%H, %T ceildiv 32] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %end = arith.addi %m, %c1 : index
    %qt = tile.load %q[%h, %m, %c0] tile [32, 64] : memref<?x?x64xbf16> -> tensor<32x64xbf16>
    %no_scores = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    %hidden = tile.splat -1.0e30 [32, 32] : tensor<32x32xf32>
    %scale = tile.splat 0.125 [32, 32] : tensor<32x32xf32>
    %max0 = tile.splat -1.0e30 [32] : tensor<32xf32>
    %sum0 = tile.splat 0.0 [32] : tensor<32xf32>
    %acc0 = tile.splat 0.0 [32, 64] : tensor<32x64xf32>
    %column = tile.iota dim 1 tile [32, 32] : tensor<32x32xi32>
    %row = tile.iota dim 0 tile [32, 32] : tensor<32x32xi32>
    %first_row = arith.muli %m, %c32 : index
    %first_row_int = arith.index_cast %first_row : index to i32
    %first_rows = tile.splat %first_row_int [32, 32] : tensor<32x32xi32>
    %rows = arith.addi %row, %first_rows : tensor<32x32xi32>
    %max1, %sum1, %acc1 = scf.for %n = %c0 to %end step %c1 iter_args(%m0 = %max0, %s0 = %sum0, %a0 = %acc0) -> (tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>) {
      %kt = tile.load %k[%h, %n, %c0] tile [32, 64] : memref<?x?x64xbf16> -> tensor<32x64xbf16>
      %vt = tile.load %v[%h, %n, %c0] tile [32, 64] : memref<?x?x64xbf16> -> tensor<32x64xbf16>
      %dots = tile.dot %qt, transpose %kt, %no_scores : tensor<32x64xbf16>, tensor<32x64xbf16>, tensor<32x32xf32>
      %scores = arith.mulf %dots, %scale : tensor<32x32xf32>
      %first = arith.muli %n, %c32 : index
      %first_int = arith.index_cast %first : index to i32
      %base = tile.splat %first_int [32, 32] : tensor<32x32xi32>
      %columns = arith.addi %column, %base : tensor<32x32xi32>
      %visible = arith.cmpi sle, %columns, %rows : tensor<32x32xi32>
      %masked = arith.select %visible, %scores, %hidden : tensor<32x32xi1>, tensor<32x32xf32>
      %here = tile.reduce maximum %masked dim 1 : tensor<32x32xf32> -> tensor<32xf32>
      %m1 = arith.maximumf %m0, %here : tensor<32xf32>
      %mb = tile.broadcast %m1 dims [0] tile [32, 32] : tensor<32xf32> -> tensor<32x32xf32>
      %d = arith.subf %masked, %mb : tensor<32x32xf32>
      %p = math.exp %d : tensor<32x32xf32>
      %part = tile.reduce add %p dim 1 : tensor<32x32xf32> -> tensor<32xf32>
      %dm = arith.subf %m0, %m1 : tensor<32xf32>
      %shrink = math.exp %dm : tensor<32xf32>
      %old = arith.mulf %s0, %shrink : tensor<32xf32>
      %s1 = arith.addf %old, %part : tensor<32xf32>
      %shrink_b = tile.broadcast %shrink dims [0] tile [32, 64] : tensor<32xf32> -> tensor<32x64xf32>
      %shrunk = arith.mulf %a0, %shrink_b : tensor<32x64xf32>
      %weights = arith.truncf %p : tensor<32x32xf32> to tensor<32x32xbf16>
      %a1 = tile.dot %weights, %vt, %shrunk : tensor<32x32xbf16>, tensor<32x64xbf16>, tensor<32x64xf32>
      scf.yield %m1, %s1, %a1 : tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>
    }
    tile.store %max1, %max[%h, %m] : tensor<32xf32>, memref<?x?xf32>
    tile.store %sum1, %sum[%h, %m] : tensor<32xf32>, memref<?x?xf32>
    tile.store %acc1, %acc[%h, %m, %c0] : tensor<32x64xf32>, memref<?x?x64xf32>
  }

  // step 1
  tile.shift %k into %k1 by 1 : memref<?x?x64xbf16>, memref<?x?x64xbf16, #tile.symmetric>
  tile.shift %v into %v1 by 1 : memref<?x?x64xbf16>, memref<?x?x64xbf16, #tile.symmetric>
  tile.forall (%h, %m) in [%H, %T ceildiv 32] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %step = arith.constant 1 : index
    %sees = arith.cmpi uge, %rank, %step : index
    %end = arith.select %sees, %blocks, %c0 : index
    %qt = tile.load %q[%h, %m, %c0] tile [32, 64] : memref<?x?x64xbf16> -> tensor<32x64xbf16>
    %no_scores = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    %hidden = tile.splat -1.0e30 [32, 32] : tensor<32x32xf32>
    %scale = tile.splat 0.125 [32, 32] : tensor<32x32xf32>
    %max0 = tile.load %max[%h, %m] tile [32] : memref<?x?xf32> -> tensor<32xf32>
    %sum0 = tile.load %sum[%h, %m] tile [32] : memref<?x?xf32> -> tensor<32xf32>
    %acc0 = tile.load %acc[%h, %m, %c0] tile [32, 64] : memref<?x?x64xf32> -> tensor<32x64xf32>
    %column = tile.iota dim 1 tile [32, 32] : tensor<32x32xi32>
    %tokens = arith.index_cast %T : index to i32
    %limit = tile.splat %tokens [32, 32] : tensor<32x32xi32>
    %max1, %sum1, %acc1 = scf.for %n = %c0 to %end step %c1 iter_args(%m0 = %max0, %s0 = %sum0, %a0 = %acc0) -> (tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>) {
      %kt = tile.load %k1[%h, %n, %c0] tile [32, 64] : memref<?x?x64xbf16, #tile.symmetric> -> tensor<32x64xbf16>
      %vt = tile.load %v1[%h, %n, %c0] tile [32, 64] : memref<?x?x64xbf16, #tile.symmetric> -> tensor<32x64xbf16>
      %dots = tile.dot %qt, transpose %kt, %no_scores : tensor<32x64xbf16>, tensor<32x64xbf16>, tensor<32x32xf32>
      %scores = arith.mulf %dots, %scale : tensor<32x32xf32>
      %first = arith.muli %n, %c32 : index
      %first_int = arith.index_cast %first : index to i32
      %base = tile.splat %first_int [32, 32] : tensor<32x32xi32>
      %columns = arith.addi %column, %base : tensor<32x32xi32>
      %visible = arith.cmpi slt, %columns, %limit : tensor<32x32xi32>
      %masked = arith.select %visible, %scores, %hidden : tensor<32x32xi1>, tensor<32x32xf32>
      %here = tile.reduce maximum %masked dim 1 : tensor<32x32xf32> -> tensor<32xf32>
      %m1 = arith.maximumf %m0, %here : tensor<32xf32>
      %mb = tile.broadcast %m1 dims [0] tile [32, 32] : tensor<32xf32> -> tensor<32x32xf32>
      %d = arith.subf %masked, %mb : tensor<32x32xf32>
      %p = math.exp %d : tensor<32x32xf32>
      %part = tile.reduce add %p dim 1 : tensor<32x32xf32> -> tensor<32xf32>
      %dm = arith.subf %m0, %m1 : tensor<32xf32>
      %shrink = math.exp %dm : tensor<32xf32>
      %old = arith.mulf %s0, %shrink : tensor<32xf32>
      %s1 = arith.addf %old, %part : tensor<32xf32>
      %shrink_b = tile.broadcast %shrink dims [0] tile [32, 64] : tensor<32xf32> -> tensor<32x64xf32>
      %shrunk = arith.mulf %a0, %shrink_b : tensor<32x64xf32>
      %weights = arith.truncf %p : tensor<32x32xf32> to tensor<32x32xbf16>
      %a1 = tile.dot %weights, %vt, %shrunk : tensor<32x32xbf16>, tensor<32x64xbf16>, tensor<32x64xf32>
      scf.yield %m1, %s1, %a1 : tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>
    }
    tile.store %max1, %max[%h, %m] : tensor<32xf32>, memref<?x?xf32>
    tile.store %sum1, %sum[%h, %m] : tensor<32xf32>, memref<?x?xf32>
    tile.store %acc1, %acc[%h, %m, %c0] : tensor<32x64xf32>, memref<?x?x64xf32>
  }

  // step 2
  tile.shift %k1 into %k2 by 1 : memref<?x?x64xbf16, #tile.symmetric>, memref<?x?x64xbf16, #tile.symmetric>
  tile.shift %v1 into %v2 by 1 : memref<?x?x64xbf16, #tile.symmetric>, memref<?x?x64xbf16, #tile.symmetric>
  tile.forall (%h, %m) in [%H, %T ceildiv 32] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %step = arith.constant 2 : index
    %sees = arith.cmpi uge, %rank, %step : index
    %end = arith.select %sees, %blocks, %c0 : index
    %qt = tile.load %q[%h, %m, %c0] tile [32, 64] : memref<?x?x64xbf16> -> tensor<32x64xbf16>
    %no_scores = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    %hidden = tile.splat -1.0e30 [32, 32] : tensor<32x32xf32>
    %scale = tile.splat 0.125 [32, 32] : tensor<32x32xf32>
    %max0 = tile.load %max[%h, %m] tile [32] : memref<?x?xf32> -> tensor<32xf32>
    %sum0 = tile.load %sum[%h, %m] tile [32] : memref<?x?xf32> -> tensor<32xf32>
    %acc0 = tile.load %acc[%h, %m, %c0] tile [32, 64] : memref<?x?x64xf32> -> tensor<32x64xf32>
    %column = tile.iota dim 1 tile [32, 32] : tensor<32x32xi32>
    %tokens = arith.index_cast %T : index to i32
    %limit = tile.splat %tokens [32, 32] : tensor<32x32xi32>
    %max1, %sum1, %acc1 = scf.for %n = %c0 to %end step %c1 iter_args(%m0 = %max0, %s0 = %sum0, %a0 = %acc0) -> (tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>) {
      %kt = tile.load %k2[%h, %n, %c0] tile [32, 64] : memref<?x?x64xbf16, #tile.symmetric> -> tensor<32x64xbf16>
      %vt = tile.load %v2[%h, %n, %c0] tile [32, 64] : memref<?x?x64xbf16, #tile.symmetric> -> tensor<32x64xbf16>
      %dots = tile.dot %qt, transpose %kt, %no_scores : tensor<32x64xbf16>, tensor<32x64xbf16>, tensor<32x32xf32>
      %scores = arith.mulf %dots, %scale : tensor<32x32xf32>
      %first = arith.muli %n, %c32 : index
      %first_int = arith.index_cast %first : index to i32
      %base = tile.splat %first_int [32, 32] : tensor<32x32xi32>
      %columns = arith.addi %column, %base : tensor<32x32xi32>
      %visible = arith.cmpi slt, %columns, %limit : tensor<32x32xi32>
      %masked = arith.select %visible, %scores, %hidden : tensor<32x32xi1>, tensor<32x32xf32>
      %here = tile.reduce maximum %masked dim 1 : tensor<32x32xf32> -> tensor<32xf32>
      %m1 = arith.maximumf %m0, %here : tensor<32xf32>
      %mb = tile.broadcast %m1 dims [0] tile [32, 32] : tensor<32xf32> -> tensor<32x32xf32>
      %d = arith.subf %masked, %mb : tensor<32x32xf32>
      %p = math.exp %d : tensor<32x32xf32>
      %part = tile.reduce add %p dim 1 : tensor<32x32xf32> -> tensor<32xf32>
      %dm = arith.subf %m0, %m1 : tensor<32xf32>
      %shrink = math.exp %dm : tensor<32xf32>
      %old = arith.mulf %s0, %shrink : tensor<32xf32>
      %s1 = arith.addf %old, %part : tensor<32xf32>
      %shrink_b = tile.broadcast %shrink dims [0] tile [32, 64] : tensor<32xf32> -> tensor<32x64xf32>
      %shrunk = arith.mulf %a0, %shrink_b : tensor<32x64xf32>
      %weights = arith.truncf %p : tensor<32x32xf32> to tensor<32x32xbf16>
      %a1 = tile.dot %weights, %vt, %shrunk : tensor<32x32xbf16>, tensor<32x64xbf16>, tensor<32x64xf32>
      scf.yield %m1, %s1, %a1 : tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>
    }
    tile.store %max1, %max[%h, %m] : tensor<32xf32>, memref<?x?xf32>
    tile.store %sum1, %sum[%h, %m] : tensor<32xf32>, memref<?x?xf32>
    tile.store %acc1, %acc[%h, %m, %c0] : tensor<32x64xf32>, memref<?x?x64xf32>
  }

  // step 3
  tile.shift %k2 into %k3 by 1 : memref<?x?x64xbf16, #tile.symmetric>, memref<?x?x64xbf16, #tile.symmetric>
  tile.shift %v2 into %v3 by 1 : memref<?x?x64xbf16, #tile.symmetric>, memref<?x?x64xbf16, #tile.symmetric>
  tile.forall (%h, %m) in [%H, %T ceildiv 32] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %step = arith.constant 3 : index
    %sees = arith.cmpi uge, %rank, %step : index
    %end = arith.select %sees, %blocks, %c0 : index
    %qt = tile.load %q[%h, %m, %c0] tile [32, 64] : memref<?x?x64xbf16> -> tensor<32x64xbf16>
    %no_scores = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    %hidden = tile.splat -1.0e30 [32, 32] : tensor<32x32xf32>
    %scale = tile.splat 0.125 [32, 32] : tensor<32x32xf32>
    %max0 = tile.load %max[%h, %m] tile [32] : memref<?x?xf32> -> tensor<32xf32>
    %sum0 = tile.load %sum[%h, %m] tile [32] : memref<?x?xf32> -> tensor<32xf32>
    %acc0 = tile.load %acc[%h, %m, %c0] tile [32, 64] : memref<?x?x64xf32> -> tensor<32x64xf32>
    %column = tile.iota dim 1 tile [32, 32] : tensor<32x32xi32>
    %tokens = arith.index_cast %T : index to i32
    %limit = tile.splat %tokens [32, 32] : tensor<32x32xi32>
    %max1, %sum1, %acc1 = scf.for %n = %c0 to %end step %c1 iter_args(%m0 = %max0, %s0 = %sum0, %a0 = %acc0) -> (tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>) {
      %kt = tile.load %k3[%h, %n, %c0] tile [32, 64] : memref<?x?x64xbf16, #tile.symmetric> -> tensor<32x64xbf16>
      %vt = tile.load %v3[%h, %n, %c0] tile [32, 64] : memref<?x?x64xbf16, #tile.symmetric> -> tensor<32x64xbf16>
      %dots = tile.dot %qt, transpose %kt, %no_scores : tensor<32x64xbf16>, tensor<32x64xbf16>, tensor<32x32xf32>
      %scores = arith.mulf %dots, %scale : tensor<32x32xf32>
      %first = arith.muli %n, %c32 : index
      %first_int = arith.index_cast %first : index to i32
      %base = tile.splat %first_int [32, 32] : tensor<32x32xi32>
      %columns = arith.addi %column, %base : tensor<32x32xi32>
      %visible = arith.cmpi slt, %columns, %limit : tensor<32x32xi32>
      %masked = arith.select %visible, %scores, %hidden : tensor<32x32xi1>, tensor<32x32xf32>
      %here = tile.reduce maximum %masked dim 1 : tensor<32x32xf32> -> tensor<32xf32>
      %m1 = arith.maximumf %m0, %here : tensor<32xf32>
      %mb = tile.broadcast %m1 dims [0] tile [32, 32] : tensor<32xf32> -> tensor<32x32xf32>
      %d = arith.subf %masked, %mb : tensor<32x32xf32>
      %p = math.exp %d : tensor<32x32xf32>
      %part = tile.reduce add %p dim 1 : tensor<32x32xf32> -> tensor<32xf32>
      %dm = arith.subf %m0, %m1 : tensor<32xf32>
      %shrink = math.exp %dm : tensor<32xf32>
      %old = arith.mulf %s0, %shrink : tensor<32xf32>
      %s1 = arith.addf %old, %part : tensor<32xf32>
      %shrink_b = tile.broadcast %shrink dims [0] tile [32, 64] : tensor<32xf32> -> tensor<32x64xf32>
      %shrunk = arith.mulf %a0, %shrink_b : tensor<32x64xf32>
      %weights = arith.truncf %p : tensor<32x32xf32> to tensor<32x32xbf16>
      %a1 = tile.dot %weights, %vt, %shrunk : tensor<32x32xbf16>, tensor<32x64xbf16>, tensor<32x64xf32>
      scf.yield %m1, %s1, %a1 : tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>
    }
    %sum_b = tile.broadcast %sum1 dims [0] tile [32, 64] : tensor<32xf32> -> tensor<32x64xf32>
    %mean = arith.divf %acc1, %sum_b : tensor<32x64xf32>
    %out = arith.truncf %mean : tensor<32x64xf32> to tensor<32x64xbf16>
    tile.store %out, %o[%h, %m, %c0] : tensor<32x64xbf16>, memref<?x?x64xbf16>
  }
}
