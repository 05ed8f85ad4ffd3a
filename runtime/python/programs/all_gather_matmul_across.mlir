// c = all_gather(a) * b: as example 04, for a weight that lies K x N.
tile.program @all_gather_matmul_across<%M, %N, %K>(%a: memref<?x?xbf16, #tile.symmetric>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %K, %N] [%c: W * %M, %N] {
  %full = tile.alloc [W * %M, %K] : memref<?x?xbf16, #tile.symmetric>
  tile.all_gather %a into %full dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %full, %b into %c : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xbf16>
}
