// A right operand that lies K x N and is gathered, which has two copies, was "for one of a row of matrices, expected a matrix, by columns".
// RUN: tilec %s --world 2 --target sm_90a --pattern bulk-push --emit=hip | FileCheck %s
// RUN: tilec run %s --world 2 --target sm_90a --pattern bulk-push --extent M=72,N=264,K=72 --launches 3 --race
// CHECK: all_feed = tilec::mapped_feed<AllRingShared>(tilec::view(all, {K * 2, N}, {N, 1}), {0, n * 256}, all_map, all_copy, tilec::by_rows);
tile.program @product<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16, #tile.symmetric>, %c: memref<?x?xf32>)
    extents [%a: %M, W * %K] [%b: %K, %N] [%c: %M, %N] {
  %all = tile.alloc [W * %K, %N] : memref<?x?xbf16, #tile.symmetric>
  tile.all_gather %b into %all dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %a, %all into %c : memref<?x?xbf16>, memref<?x?xbf16, #tile.symmetric>, memref<?x?xf32>
}
