// y = A x for a sparse matrix in compressed rows: row m has entries offsets[m] to offsets[m + 1], each a column and a value.
// offsets: M + 1; columns, values: Z; x: N; y: M; f32. A task sums up one row, 64 entries at a time.
tile.program @spmv<%M, %N, %Z>(%offsets: memref<?xi32>, %columns: memref<?xi32>, %values: memref<?xf32>, %x: memref<?xf32>, %y: memref<?xf32>)
    extents [%offsets: %M + 1] [%columns: %Z] [%values: %Z] [%x: %N] [%y: %M] indices [%offsets: %Z] [%columns: %N] {
  tile.forall (%m) in [%M] {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %behind = arith.addi %m, %c1 : index
    %begin = tile.read %offsets[%m] upto %Z : memref<?xi32>
    %end = tile.read %offsets[%behind] upto %Z : memref<?xi32>
    %entry = tile.iota dim 0 tile [64] : tensor<64xi32>
    %end_int = arith.index_cast %end : index to i32
    %limit = tile.splat %end_int [64] : tensor<64xi32>
    %none = tile.splat 0.0 [64] : tensor<64xf32>
    %sums = scf.for %z = %begin to %end step %c64 iter_args(%s = %none) -> tensor<64xf32> {
      %nowhere = arith.constant -1 : i32
      %column = tile.load %columns at (%z) tile [64] else %nowhere : i32 : memref<?xi32> -> tensor<64xi32>
      %value = tile.load %values at (%z) tile [64] : memref<?xf32> -> tensor<64xf32>
      %there = tile.gather %x[each %column] tile [64] : memref<?xf32>, tensor<64xi32> -> tensor<64xf32>
      // entries behind the last one belong to other rows
      %first = arith.index_cast %z : index to i32
      %firsts = tile.splat %first [64] : tensor<64xi32>
      %place = arith.addi %entry, %firsts : tensor<64xi32>
      %mine = arith.cmpi slt, %place, %limit : tensor<64xi32>
      %product = arith.mulf %value, %there : tensor<64xf32>
      %masked = arith.select %mine, %product, %none : tensor<64xi1>, tensor<64xf32>
      %next = arith.addf %s, %masked : tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    }
    %sum = tile.reduce add %sums dim 0 : tensor<64xf32> -> tensor<f32>
    tile.store %sum, %y[%m] : tensor<f32>, memref<?xf32>
  }
}
