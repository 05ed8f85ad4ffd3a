// Rows that a producer's wave moves by the copy engine, and by threads where their bytes are no multiple of 16.
// RUN: tilec run %s --world 2 --target sm_90a --pattern specialized-push --granularity group-2 --race --memory weak --launches 3 --extents-from 8,64,136 --shuffle
// RUN: tilec run %s --world 3 --target sm_90a --pattern specialized-push --granularity group-64 --launches 3 --extents-from 1,40,71,130 --shuffle --skewed
// RUN: tilec run %s --world 4 --target sm_90a --pattern specialized-push --granularity group-16 --extent M=70,N=40,K=264 --memory weak
tile.program @gather_matmul<%M, %N, %K>(%full: memref<?x?xbf16, #tile.symmetric>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%full: W * %M, %K] [%b: %N, %K] [%c: W * %M, %N] {
  %rank = tile.rank
  %first = arith.muli %rank, %M : index
  %mine = memref.subview %full[%first, 0] [%M, %K] [1, 1] : memref<?x?xbf16, #tile.symmetric> to memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>
  tile.all_gather %mine into %full dim 0 : memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %full, transpose %b into %c tiles [64, 64, 64] : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xbf16>
}
