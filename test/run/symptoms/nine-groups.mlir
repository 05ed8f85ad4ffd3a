// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec run %s --world 3 --pattern specialized-push --launches 3 --extents-from 1,40,100 --shuffle --seed 7

// Nine specialised statements: more groups than a kernel has queues.
tile.program @many<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32, #tile.symmetric>) extents [%a: %M, 64] [%c: %M, 64] {
  %s = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  %t = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.shift %a into %s by 1 : memref<?x64xf32>, memref<?x64xf32, #tile.symmetric>
  tile.all_reduce %s into %t : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.shift %t into %s by 1 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.all_reduce %s into %t : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.shift %t into %s by 1 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.all_reduce %s into %t : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.shift %t into %s by 1 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.all_reduce %s into %c : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}
