// c = the sum over ranks of a_r * b_r^T, on every rank; partial sums travel as bf16, as those of other libraries do.
tile.program @matmul_all_reduce<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16, #tile.symmetric>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  %part = tile.alloc [%M, %N] : memref<?x?xbf16, #tile.symmetric>
  tile.matmul %a, transpose %b into %part : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16, #tile.symmetric>
  tile.all_reduce %part into %c : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
}
