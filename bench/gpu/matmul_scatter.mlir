// c = this rank's rows of the sum over ranks of a_r * b_r^T, whose parts travel as bf16, as those of other libraries do.
tile.program @matmul_scatter<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: W * %M, %K] [%b: %N, %K] [%c: %M, %N] {
  %part = tile.alloc [W * %M, %N] : memref<?x?xbf16, #tile.symmetric>
  tile.matmul %a, transpose %b into %part : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16, #tile.symmetric>
  tile.reduce_scatter %part into %c dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>
}
