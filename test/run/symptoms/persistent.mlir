// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec run %s --world 3 --pattern specialized-push --launches 3 --extents-from 1,40,100 --shuffle --seed 7

// Scratch that outlives the launch, written by a peer: the next launch waits for this one to be done.
tile.program @persistent<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%c: %M, 64] {
  %s = tile.alloc persistent [%M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.shift %a into %s by 1 : memref<?x64xf32>, memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %s[%m, %n] tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
    tile.store %t, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}
