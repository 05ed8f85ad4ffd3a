// c = the columns of a * b_r^T of every rank r, side by side, on every rank. N: columns that each rank computes.
tile.program @matmul_all_scatter<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16, #tile.symmetric>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, W * %N] {
  %part = tile.alloc [%M, %N] : memref<?x?xbf16, #tile.symmetric>
  tile.matmul %a, transpose %b into %part : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16, #tile.symmetric>
  tile.all_gather %part into %c dim 1 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
}
