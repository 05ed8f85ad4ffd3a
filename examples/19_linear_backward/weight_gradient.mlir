// dw = this rank's rows of the sum over ranks of dy_r^T * x_r: the gradient of a weight N x K over the tokens of all ranks, of which each keeps the rows
// that it updates. T: tokens of each rank; N: rows that each rank keeps.
tile.program @weight_gradient<%T, %N, %K>(%dy: memref<?x?xbf16>, %x: memref<?x?xbf16>, %dw: memref<?x?xf32>)
    extents [%dy: %T, W * %N] [%x: %T, %K] [%dw: %N, %K] {
  %part = tile.alloc [W * %N, %K] : memref<?x?xf32, #tile.symmetric>
  tile.matmul transpose %dy, %x into %part : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32, #tile.symmetric>
  tile.reduce_scatter %part into %dw dim 0 : memref<?x?xf32, #tile.symmetric>, memref<?x?xf32>
}
