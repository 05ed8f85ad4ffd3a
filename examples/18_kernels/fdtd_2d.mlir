// T steps of a field in time: finite differences in the time domain, in two dimensions, as PolyBench has them. ex, ey, hz: M x N, f32, what the
// fields are before and after; source: T, the values of ey in row 0. In a step the electric fields change by the differences of the magnetic one
// between neighbours, then the magnetic field by those of the electric ones.
tile.program @fdtd_2d<%M, %N, %T>(%source: memref<?xf32>, %ex: memref<?x?xf32>, %ey: memref<?x?xf32>, %hz: memref<?x?xf32>)
    extents [%source: %T] [%ex: %M, %N] [%ey: %M, %N] [%hz: %M, %N] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last_row = arith.subi %M, %c1 : index
  %last_column = arith.subi %N, %c1 : index
  scf.for %s = %c0 to %T step %c1 {
    tile.forall (%m, %n) in [%M ceildiv 16, %N ceildiv 64] {
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %m0 = arith.muli %m, %c16 : index
      %n0 = arith.muli %n, %c64 : index
      %above = arith.subi %m0, %c1 : index
      %left = arith.subi %n0, %c1 : index
      %half = tile.splat 0.5 [16, 64] : tensor<16x64xf32>
      %h = tile.load %hz[%m, %n] tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
      %h_above = tile.load %hz at (%above, %n0) tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
      %h_left = tile.load %hz at (%m0, %left) tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
      %row = tile.iota dim 0 tile [16, 64] : tensor<16x64xi32>
      %column = tile.iota dim 1 tile [16, 64] : tensor<16x64xi32>
      %m0_int = arith.index_cast %m0 : index to i32
      %n0_int = arith.index_cast %n0 : index to i32
      %m0_all = tile.splat %m0_int [16, 64] : tensor<16x64xi32>
      %n0_all = tile.splat %n0_int [16, 64] : tensor<16x64xi32>
      %rows = arith.addi %row, %m0_all : tensor<16x64xi32>
      %columns = arith.addi %column, %n0_all : tensor<16x64xi32>
      %zero = tile.splat 0 [16, 64] : tensor<16x64xi32>
      %is_first_row = arith.cmpi eq, %rows, %zero : tensor<16x64xi32>
      %is_first_column = arith.cmpi eq, %columns, %zero : tensor<16x64xi32>
      // ey: the source in row 0
      %y0 = tile.load %ey[%m, %n] tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
      %dy = arith.subf %h, %h_above : tensor<16x64xf32>
      %dy_half = arith.mulf %dy, %half : tensor<16x64xf32>
      %y1 = arith.subf %y0, %dy_half : tensor<16x64xf32>
      %given = tile.load %source[%s] tile [1] : memref<?xf32> -> tensor<1xf32>
      %given_b = tile.broadcast %given dims [0] tile [1, 64] : tensor<1xf32> -> tensor<1x64xf32>
      %given_row = tile.reshape %given_b tile [64] : tensor<1x64xf32> -> tensor<64xf32>
      %given_all = tile.broadcast %given_row dims [1] tile [16, 64] : tensor<64xf32> -> tensor<16x64xf32>
      %y2 = arith.select %is_first_row, %given_all, %y1 : tensor<16x64xi1>, tensor<16x64xf32>
      tile.store %y2, %ey[%m, %n] : tensor<16x64xf32>, memref<?x?xf32>
      // ex: column 0 stays
      %x0 = tile.load %ex[%m, %n] tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
      %dx = arith.subf %h, %h_left : tensor<16x64xf32>
      %dx_half = arith.mulf %dx, %half : tensor<16x64xf32>
      %x1 = arith.subf %x0, %dx_half : tensor<16x64xf32>
      %x2 = arith.select %is_first_column, %x0, %x1 : tensor<16x64xi1>, tensor<16x64xf32>
      tile.store %x2, %ex[%m, %n] : tensor<16x64xf32>, memref<?x?xf32>
    }
    tile.forall (%m, %n) in [%M ceildiv 16, %N ceildiv 64] {
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %m0 = arith.muli %m, %c16 : index
      %n0 = arith.muli %n, %c64 : index
      %below = arith.addi %m0, %c1 : index
      %right = arith.addi %n0, %c1 : index
      %factor = tile.splat 0.7 [16, 64] : tensor<16x64xf32>
      %x = tile.load %ex[%m, %n] tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
      %x_right = tile.load %ex at (%m0, %right) tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
      %y = tile.load %ey[%m, %n] tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
      %y_below = tile.load %ey at (%below, %n0) tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
      %h0 = tile.load %hz[%m, %n] tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
      %dx = arith.subf %x_right, %x : tensor<16x64xf32>
      %dy = arith.subf %y_below, %y : tensor<16x64xf32>
      %d = arith.addf %dx, %dy : tensor<16x64xf32>
      %change = arith.mulf %d, %factor : tensor<16x64xf32>
      %h1 = arith.subf %h0, %change : tensor<16x64xf32>
      // the last row and the last column stay
      %row = tile.iota dim 0 tile [16, 64] : tensor<16x64xi32>
      %column = tile.iota dim 1 tile [16, 64] : tensor<16x64xi32>
      %rows_left = arith.subi %last_row, %m0 : index
      %columns_left = arith.subi %last_column, %n0 : index
      %rows_int = arith.index_cast %rows_left : index to i32
      %columns_int = arith.index_cast %columns_left : index to i32
      %rows_all = tile.splat %rows_int [16, 64] : tensor<16x64xi32>
      %columns_all = tile.splat %columns_int [16, 64] : tensor<16x64xi32>
      %row_in = arith.cmpi slt, %row, %rows_all : tensor<16x64xi32>
      %column_in = arith.cmpi slt, %column, %columns_all : tensor<16x64xi32>
      %inside = arith.andi %row_in, %column_in : tensor<16x64xi1>
      %h2 = arith.select %inside, %h1, %h0 : tensor<16x64xi1>, tensor<16x64xf32>
      tile.store %h2, %hz[%m, %n] : tensor<16x64xf32>, memref<?x?xf32>
    }
  }
}
