// c = all_gather * b^T on W ranks, in place: this rank's rows of `full` lie where they belong.
tile.program @gather_matmul<%M, %N, %K>(%full: memref<?x?xbf16, #tile.symmetric>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%full: W * %M, %K] [%b: %N, %K] [%c: W * %M, %N] {
  %rank = tile.rank
  %first = arith.muli %rank, %M : index
  %mine = memref.subview %full[%first, 0] [%M, %K] [1, 1] : memref<?x?xbf16, #tile.symmetric> to memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>
  tile.all_gather %mine into %full dim 0 : memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %full, transpose %b into %c : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xbf16>
}
