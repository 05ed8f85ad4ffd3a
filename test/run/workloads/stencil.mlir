// RUN: tilec %s --world 4 --target gfx942 --emit=hip > %t.gfx942.hip && %generate --offload-arch=gfx942 %t.gfx942.hip
// RUN: %if full %{ tilec %s --world 4 --target gfx950 --emit=hip > %t.gfx950.hip && %generate --offload-arch=gfx950 %t.gfx950.hip %}
// RUN: for w in $(%some 1 2 4 3); do tilec run %s --world $w --extents-from 1,40 --launches 2 || exit 1; done

// Two steps of a five-point stencil, v = 1/4 (north + south + west + east), with zeros outside. x, y: M x N on each rank, f32, which
// are M rows of a field of W * M x N. Before each step neighbours exchange halo rows: the last row goes to the next rank, the first
// row to the one before. The ring closes, so that the first and the last rank put zeros for what came around.
tile.program @stencil<%M, %N>(%x: memref<?x?xf32>, %y: memref<?x?xf32>) extents [%x: %M, %N] [%y: %M, %N] {
  %u = tile.alloc [%M, %N] : memref<?x?xf32, #tile.symmetric>
  %above = tile.alloc [1, %N] : memref<1x?xf32, #tile.symmetric>
  %below = tile.alloc [1, %N] : memref<1x?xf32, #tile.symmetric>
  %above2 = tile.alloc [1, %N] : memref<1x?xf32, #tile.symmetric>
  %below2 = tile.alloc [1, %N] : memref<1x?xf32, #tile.symmetric>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rank = tile.rank
  %world = tile.world_size
  %last_rank = arith.subi %world, %c1 : index
  %is_first = arith.cmpi eq, %rank, %c0 : index
  %is_last = arith.cmpi eq, %rank, %last_rank : index
  %end = arith.subi %M, %c1 : index

  %x_first = memref.subview %x[0, 0] [1, %N] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1]>>
  %x_last = memref.subview %x[%end, 0] [1, %N] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
  tile.shift %x_last into %above by 1 : memref<1x?xf32, strided<[?, 1], offset: ?>>, memref<1x?xf32, #tile.symmetric>
  tile.shift %x_first into %below by -1 : memref<1x?xf32, strided<[?, 1]>>, memref<1x?xf32, #tile.symmetric>
  tile.forall (%m, %n) in [%M ceildiv 16, %N ceildiv 64] {
    %one = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %m0 = arith.muli %m, %c16 : index
    %n0 = arith.muli %n, %c64 : index
    %mn = arith.subi %m0, %one : index
    %ms = arith.addi %m0, %one : index
    %nw = arith.subi %n0, %one : index
    %ne = arith.addi %n0, %one : index
    %north = tile.load %x at (%mn, %n0) tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
    %south = tile.load %x at (%ms, %n0) tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
    %west = tile.load %x at (%m0, %nw) tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
    %east = tile.load %x at (%m0, %ne) tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
    // zero in all rows but the one beside the neighbour: elsewhere the offset lies outside of the halo's single row
    %ha = tile.load %above at (%m0, %n0) tile [16, 64] : memref<1x?xf32, #tile.symmetric> -> tensor<16x64xf32>
    %to_end = arith.subi %m0, %end : index
    %hb = tile.load %below at (%to_end, %n0) tile [16, 64] : memref<1x?xf32, #tile.symmetric> -> tensor<16x64xf32>
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
    tile.store %v, %u[%m, %n] : tensor<16x64xf32>, memref<?x?xf32, #tile.symmetric>
  }

  %u_first = memref.subview %u[0, 0] [1, %N] [1, 1] : memref<?x?xf32, #tile.symmetric> to memref<1x?xf32, strided<[?, 1]>, #tile.symmetric>
  %u_last = memref.subview %u[%end, 0] [1, %N] [1, 1] : memref<?x?xf32, #tile.symmetric> to memref<1x?xf32, strided<[?, 1], offset: ?>, #tile.symmetric>
  tile.shift %u_last into %above2 by 1 : memref<1x?xf32, strided<[?, 1], offset: ?>, #tile.symmetric>, memref<1x?xf32, #tile.symmetric>
  tile.shift %u_first into %below2 by -1 : memref<1x?xf32, strided<[?, 1]>, #tile.symmetric>, memref<1x?xf32, #tile.symmetric>
  tile.forall (%m, %n) in [%M ceildiv 16, %N ceildiv 64] {
    %one = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %m0 = arith.muli %m, %c16 : index
    %n0 = arith.muli %n, %c64 : index
    %mn = arith.subi %m0, %one : index
    %ms = arith.addi %m0, %one : index
    %nw = arith.subi %n0, %one : index
    %ne = arith.addi %n0, %one : index
    %north = tile.load %u at (%mn, %n0) tile [16, 64] : memref<?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
    %south = tile.load %u at (%ms, %n0) tile [16, 64] : memref<?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
    %west = tile.load %u at (%m0, %nw) tile [16, 64] : memref<?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
    %east = tile.load %u at (%m0, %ne) tile [16, 64] : memref<?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
    // zero in all rows but the one beside the neighbour: elsewhere the offset lies outside of the halo's single row
    %ha = tile.load %above2 at (%m0, %n0) tile [16, 64] : memref<1x?xf32, #tile.symmetric> -> tensor<16x64xf32>
    %to_end = arith.subi %m0, %end : index
    %hb = tile.load %below2 at (%to_end, %n0) tile [16, 64] : memref<1x?xf32, #tile.symmetric> -> tensor<16x64xf32>
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
    tile.store %v, %y[%m, %n] : tensor<16x64xf32>, memref<?x?xf32>
  }
}
