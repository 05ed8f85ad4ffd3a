// y = what every rank has for this one: part r of y is part `rank` of x of rank r. x, y: W parts of M x N, bf16.
tile.program @all_to_all<%M, %N>(%x: memref<?x?xbf16, #tile.symmetric>, %y: memref<?x?xbf16, #tile.symmetric>)
    extents [%x: W * %M, %N] [%y: W * %M, %N] {
  tile.all_to_all %x into %y dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
}
