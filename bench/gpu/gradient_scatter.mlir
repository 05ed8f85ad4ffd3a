// c = this rank's rows of the sum over ranks of a_r^T * b_r: the gradient of weights over the tokens of all ranks, whose parts travel as bf16.
tile.program @gradient_scatter<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %K, W * %M] [%b: %K, %N] [%c: %M, %N] {
  %part = tile.alloc [W * %M, %N] : memref<?x?xbf16, #tile.symmetric>
  tile.matmul transpose %a, %b into %part : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16, #tile.symmetric>
  tile.reduce_scatter %part into %c dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>
}
