// RUN: tilec run %s --world 2 --extent M=40,N=24,K=40 --param BM=32 --param BK=16
// RUN: not tilec run %s --world 2 --extent M=40,N=24,K=40 --param BX=32 2>&1 | FileCheck %s
// CHECK: error: unknown parameter 'BX'

// The sizes of a product's tiles are parameters that the source does not declare: the oracle did not know them.
tile.program @product<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.matmul %a, transpose %b into %c : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
}
