// RUN: for p in $(%some specialized-pull bulk sequential-push); do tilec run %s --world 3 --pattern $p --skewed --memory weak --launches 2 --extents-from 2,20,70 || exit 1; done
// RUN: tilec run %s --world 2 --target sm_90a --extent B=1,M=40,N=24,K=72 --race

// Products side by side between ranks: each rank gives its matrices to all, multiplies all of them, and keeps the sums of its own.
tile.program @exchange<%B, %M, %N, %K>(%a: memref<?x?x?xbf16, #tile.symmetric>, %b: memref<?x?x?xbf16>, %d: memref<?x?x?xf32, #tile.symmetric>)
    extents [%a: %B, %M, %K] [%b: W * %B, %N, %K] [%d: %B, %M, %N] {
  %all = tile.alloc [W * %B, %M, %K] : memref<?x?x?xbf16, #tile.symmetric>
  %c = tile.alloc [W * %B, %M, %N] : memref<?x?x?xf32, #tile.symmetric>
  tile.all_gather %a into %all dim 0 : memref<?x?x?xbf16, #tile.symmetric>, memref<?x?x?xbf16, #tile.symmetric>
  tile.matmul %all, transpose %b into %c : memref<?x?x?xbf16, #tile.symmetric>, memref<?x?x?xbf16>, memref<?x?x?xf32, #tile.symmetric>
  tile.reduce_scatter %c into %d dim 0 : memref<?x?x?xf32, #tile.symmetric>, memref<?x?x?xf32, #tile.symmetric>
}
