// dx = this rank's tokens of the sum over ranks of dy_r * w_r: the gradient of a layer's input, where each rank has some rows of the weight, and with them some
// columns of dy. The weight lies as in the forward pass, and is the right operand as it is. T: tokens that each rank keeps; N: rows of each rank.
tile.program @input_gradient<%T, %N, %K>(%dy: memref<?x?xbf16>, %w: memref<?x?xbf16>, %dx: memref<?x?xbf16>)
    extents [%dy: W * %T, %N] [%w: %N, %K] [%dx: %T, %K] {
  %part = tile.alloc [W * %T, %K] : memref<?x?xf32, #tile.symmetric>
  tile.matmul %dy, %w into %part : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32, #tile.symmetric>
  tile.reduce_scatter %part into %dx dim 0 : memref<?x?xf32, #tile.symmetric>, memref<?x?xbf16>
}
