// T steps of a five-point stencil, v = 1/4 (north + south + west + east), with zeros outside. x: M x N on each rank, f32, which are M rows of a
// field of W * M x N. The steps take two copies of the field in turn, and rows beside a rank's own are read where they lie.
tile.program @stencil_steps<%M, %N, %T>(%x: memref<?x?xf32>, %y: memref<?x?xf32>) extents [%x: %M, %N] [%y: %M, %N] {
  %u = tile.alloc [2, %M, %N] : memref<2x?x?xf32, #tile.symmetric>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rank = tile.rank
  %world = tile.world_size
  %ahead = arith.addi %rank, %c1 : index
  %next = arith.remui %ahead, %world : index
  %around = arith.addi %rank, %world : index
  %behind = arith.subi %around, %c1 : index
  %previous = arith.remui %behind, %world : index
  %is_first = arith.cmpi eq, %rank, %c0 : index
  %is_last = arith.cmpi eq, %next, %c0 : index
  tile.forall (%m, %n) in [%M ceildiv 16, %N ceildiv 64] {
    %t = tile.load %x[%m, %n] tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
    tile.store %t, %u[%c0, %m, %n] : tensor<16x64xf32>, memref<2x?x?xf32, #tile.symmetric>
  }
  scf.for %s = %c0 to %T step %c1 {
    %now = arith.remui %s, %c2 : index
    %after = arith.addi %s, %c1 : index
    %then = arith.remui %after, %c2 : index
    tile.forall (%m, %n) in [%M ceildiv 16, %N ceildiv 64] {
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %m0 = arith.muli %m, %c16 : index
      %n0 = arith.muli %n, %c64 : index
      %mn = arith.subi %m0, %c1 : index
      %ms = arith.addi %m0, %c1 : index
      %nw = arith.subi %n0, %c1 : index
      %ne = arith.addi %n0, %c1 : index
      // the last row of the rank before, above the first one here, and the first row of the next one
      %m_above = arith.addi %mn, %M : index
      %m_below = arith.subi %ms, %M : index
      %north = tile.load %u at (%now, %mn, %n0) tile [16, 64] : memref<2x?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
      %south = tile.load %u at (%now, %ms, %n0) tile [16, 64] : memref<2x?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
      %west = tile.load %u at (%now, %m0, %nw) tile [16, 64] : memref<2x?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
      %east = tile.load %u at (%now, %m0, %ne) tile [16, 64] : memref<2x?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
      %ha = tile.load %u at (%now, %m_above, %n0) tile [16, 64] from %previous : memref<2x?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
      %hb = tile.load %u at (%now, %m_below, %n0) tile [16, 64] from %next : memref<2x?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
      %zero = tile.splat 0.0 [16, 64] : tensor<16x64xf32>
      %a = arith.select %is_first, %zero, %ha : tensor<16x64xf32>
      %b = arith.select %is_last, %zero, %hb : tensor<16x64xf32>
      %s0 = arith.addf %north, %south : tensor<16x64xf32>
      %s1 = arith.addf %west, %east : tensor<16x64xf32>
      %s2 = arith.addf %a, %b : tensor<16x64xf32>
      %s3 = arith.addf %s0, %s1 : tensor<16x64xf32>
      %s4 = arith.addf %s3, %s2 : tensor<16x64xf32>
      %quarter = tile.splat 0.25 [16, 64] : tensor<16x64xf32>
      %v = arith.mulf %s4, %quarter : tensor<16x64xf32>
      tile.store %v, %u[%then, %m, %n] : tensor<16x64xf32>, memref<2x?x?xf32, #tile.symmetric>
    }
  }
  %end = arith.remui %T, %c2 : index
  tile.forall (%m, %n) in [%M ceildiv 16, %N ceildiv 64] {
    %t = tile.load %u[%end, %m, %n] tile [16, 64] : memref<2x?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
    tile.store %t, %y[%m, %n] : tensor<16x64xf32>, memref<?x?xf32>
  }
}
