// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec run %s --world 3 --pattern specialized-push --launches 3 --extents-from 1,40,100 --shuffle --seed 7

// Shifts in a chain through two buffers, back, forth and round the world.
tile.program @shifts<%M>(%a: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32, #tile.symmetric>) extents [%a: %M, 64] [%c: %M, 64] {
  %s = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  %t = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.shift %a into %s by -1 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.shift %s into %t by 5 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.shift %t into %s by 2 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.shift %s into %c by 3 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}
