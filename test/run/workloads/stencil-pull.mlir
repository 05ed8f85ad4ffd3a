// RUN: tilec %s --world 4 --target gfx942 --emit=hip > %t.gfx942.hip && %generate --offload-arch=gfx942 %t.gfx942.hip
// RUN: %if full %{ tilec %s --world 4 --target gfx950 --emit=hip > %t.gfx950.hip && %generate --offload-arch=gfx950 %t.gfx950.hip %}
// RUN: for w in $(%some 1 2 4 3); do tilec run %s --world $w --extents-from 1,40 --launches 2 || exit 1; done

// One step of a five-point stencil, v = 1/4 (north + south + west + east), with zeros outside. x, y: M x N on each rank, f32, which
// are M rows of a field of W * M x N. The tiles at the edge read the row beyond it from the neighbour's memory.
tile.program @stencil_pull<%M, %N>(%x: memref<?x?xf32, #tile.symmetric>, %y: memref<?x?xf32>) extents [%x: %M, %N] [%y: %M, %N] {
  %rank = tile.rank
  %world = tile.world_size
  tile.forall (%m, %n) in [%M ceildiv 16, %N ceildiv 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %m0 = arith.muli %m, %c16 : index
    %n0 = arith.muli %n, %c64 : index
    %mn = arith.subi %m0, %c1 : index
    %ms = arith.addi %m0, %c1 : index
    %nw = arith.subi %n0, %c1 : index
    %ne = arith.addi %n0, %c1 : index
    %north = tile.load %x at (%mn, %n0) tile [16, 64] : memref<?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
    %south = tile.load %x at (%ms, %n0) tile [16, 64] : memref<?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
    %west = tile.load %x at (%m0, %nw) tile [16, 64] : memref<?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
    %east = tile.load %x at (%m0, %ne) tile [16, 64] : memref<?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
    %s0 = arith.addf %north, %south : tensor<16x64xf32>
    %s1 = arith.addf %west, %east : tensor<16x64xf32>
    %inner = arith.addf %s0, %s1 : tensor<16x64xf32>
    %top = arith.cmpi eq, %m0, %c0 : index
    %has_above = arith.cmpi ne, %rank, %c0 : index
    %from_above = arith.andi %top, %has_above : i1
    %with_above = scf.if %from_above -> tensor<16x64xf32> {
      // row M - 1 of the rank above, at the first row of the tile; the rows below it lie outside
      %above = arith.subi %rank, %c1 : index
      %last = arith.subi %M, %c1 : index
      %halo = tile.load %x at (%last, %n0) tile [16, 64] from %above : memref<?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
      %sum = arith.addf %inner, %halo : tensor<16x64xf32>
      scf.yield %sum : tensor<16x64xf32>
    } else {
      scf.yield %inner : tensor<16x64xf32>
    }
    %end = arith.addi %m0, %c16 : index
    %bottom = arith.cmpi sge, %end, %M : index
    %next = arith.addi %rank, %c1 : index
    %has_below = arith.cmpi slt, %next, %world : index
    %from_below = arith.andi %bottom, %has_below : i1
    %both = scf.if %from_below -> tensor<16x64xf32> {
      // row 0 of the rank below, at the row of the tile that is this rank's last
      %offset = arith.subi %m0, %M : index
      %row = arith.addi %offset, %c1 : index
      %halo = tile.load %x at (%row, %n0) tile [16, 64] from %next : memref<?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
      %row_in = tile.iota dim 0 tile [16, 64] : tensor<16x64xi32>
      %at_int = arith.index_cast %offset : index to i32
      %at = tile.splat %at_int [16, 64] : tensor<16x64xi32>
      %beyond = arith.addi %row_in, %at : tensor<16x64xi32>
      %minus = tile.splat -1 [16, 64] : tensor<16x64xi32>
      %zero = tile.splat 0.0 [16, 64] : tensor<16x64xf32>
      %is = arith.cmpi eq, %beyond, %minus : tensor<16x64xi32>
      %part = arith.select %is, %halo, %zero : tensor<16x64xi1>, tensor<16x64xf32>
      %sum = arith.addf %with_above, %part : tensor<16x64xf32>
      scf.yield %sum : tensor<16x64xf32>
    } else {
      scf.yield %with_above : tensor<16x64xf32>
    }
    %quarter = tile.splat 0.25 [16, 64] : tensor<16x64xf32>
    %v = arith.mulf %both, %quarter : tensor<16x64xf32>
    tile.store %v, %y[%m, %n] : tensor<16x64xf32>, memref<?x?xf32>
  }
}
