// Two products in one kernel have no producer. Slots that consumers fill are as many as hide the way from memory: with few rows a step is over soon.
// RUN: tilec %s --world 1 --target sm_90a --pattern sequential --extent M=16,N=4096,K=4096 --param ROWS=16 --param COLUMNS=64 --until=schedule | FileCheck %s --check-prefix=FEW
// RUN: tilec %s --world 1 --target sm_90a --pattern sequential --param ROWS=128 --param COLUMNS=256 --until=schedule | FileCheck %s --check-prefix=MANY
// FEW-NOT: producer
// FEW-COUNT-2: tile.stream %{{.*}} slots 8 ahead 7 carries
// MANY-NOT: producer
// MANY-COUNT-2: tile.stream %{{.*}} slots 4 ahead 3 carries
tile.program @chain<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>, %d: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %K, %N] [%d: %M, %K] {
  tile.param @ROWS in [128, 16]
  tile.param @COLUMNS in [256, 64]
  %h = tile.alloc [%M, %N] : memref<?x?xbf16>
  tile.matmul %a, transpose %b into %h tiles [@ROWS, @COLUMNS, 64] : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
  tile.matmul %h, transpose %c into %d tiles [@ROWS, @COLUMNS, 64] : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
}
