// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec run %s --world 3 --pattern sequential-push --launches 3 --extents-from 1,40,100 --shuffle --seed 7

// A copy must not be sunk past a statement that reads its destination.
tile.program @sink_war<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: %M, 64] {
  %part = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %a tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %part[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %x[%m, %n] tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
  tile.shift %part into %x by 1 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}
