// The owner of a sum adds in the tasks of a product, of which those that tell of it count by chiplet: they stay a loop of their own.
// RUN: tilec run %s --world 2 --target gfx942 --pattern sequential-copy-engine --granularity statement --extent M=64,N=128,K=64
tile.program @own_sums<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>)
    extents [%a: W * %M, %K] [%b: %N, %K] [%d: %M, %N] {
  %part = tile.alloc [W * %M, %N] : memref<?x?xbf16, #tile.symmetric>
  %c = tile.alloc [%M, %N] : memref<?x?xbf16>
  tile.matmul %a, transpose %b into %part : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16, #tile.symmetric>
  tile.reduce_scatter %part into %c dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>
  tile.forall (%m, %n) in [%M ceildiv 32, %N ceildiv 64] {
    %t = tile.load %c[%m, %n] tile [32, 64] : memref<?x?xbf16> -> tensor<32x64xbf16>
    %s = arith.addf %t, %t : tensor<32x64xbf16>
    tile.store %s, %d[%m, %n] : tensor<32x64xbf16>, memref<?x?xbf16>
  }
}
