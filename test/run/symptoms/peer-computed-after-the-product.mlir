// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec run %s --world 3 --pattern sequential-push --launches 3 --extents-from 1,40,100 --shuffle --seed 7

// The rank to send to was computed after the product that sends to it.
tile.program @mm_shift<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16, #tile.symmetric>) extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  %part = tile.alloc [%M, %N] : memref<?x?xbf16, #tile.symmetric>
  tile.matmul %a, transpose %b into %part : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16, #tile.symmetric>
  tile.shift %part into %c by -1 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
}
