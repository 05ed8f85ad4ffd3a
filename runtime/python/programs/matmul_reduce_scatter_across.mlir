// c = this rank's rows of the sum over ranks of a_r * b_r: as example 06, for a weight that lies K x N, as that of torch.nn.Linear does in the backward pass.
tile.program @matmul_reduce_scatter_across<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: W * %M, %K] [%b: %K, %N] [%c: %M, %N] {
  %part = tile.alloc [W * %M, %N] : memref<?x?xf32, #tile.symmetric>
  tile.matmul %a, %b into %part : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32, #tile.symmetric>
  tile.reduce_scatter %part into %c dim 0 : memref<?x?xf32, #tile.symmetric>, memref<?x?xbf16>
}
