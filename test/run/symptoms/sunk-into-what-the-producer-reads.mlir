// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec run %s --world 3 --pattern sequential-push --launches 3 --extents-from 1,40,100 --shuffle --seed 7

// A copy must not be sunk into a producer that reads the destination.
tile.program @sink_self<%M>(%x: memref<?x64xf32, #tile.symmetric>) extents [%x: %M, 64] {
  %part = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %x tiles [32, 32] : memref<?x64xf32, #tile.symmetric> {
    %t = tile.load %x[%m, %n] tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %part[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.shift %part into %x by 1 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}
