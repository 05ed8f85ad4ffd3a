// full = all_gather(a), c = full * b^T: as example 04, for callers who want what was gathered as well.
tile.program @all_gather_matmul_keep<%M, %N, %K>(%a: memref<?x?xbf16, #tile.symmetric>, %b: memref<?x?xbf16>,
                                                 %full: memref<?x?xbf16, #tile.symmetric>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%full: W * %M, %K] [%c: W * %M, %N] {
  tile.all_gather %a into %full dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %full, transpose %b into %c : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xbf16>
}
