// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec run %s --world 3 --pattern sequential-push --launches 3 --extents-from 1,40,100 --shuffle --seed 7

// Additions of all ranks into one tile commute; whoever reads it waits for all of them.
tile.program @atomics<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%c: %M, 64] {
  %sum = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %z = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    tile.store %z, %sum[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.forall (%p, %m, %n) in [W, %M ceildiv 32, 2] {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    tile.atomic add %t, %sum[%m, %n] on %p : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %sum[%m, %n] tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
    tile.store %t, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}
