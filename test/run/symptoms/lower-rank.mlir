// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec run %s --world 3 --pattern specialized-push --launches 3 --extents-from 1,40,100 --shuffle --seed 7

// Tiles of lower rank than their buffer; the leading index is a rank.
tile.program @lower_rank<%M>(%a: memref<?x64xf32>, %c: memref<?x?x64xf32>) extents [%a: %M, 64] [%c: W, %M, 64] {
  %s = tile.alloc [W, %M, 64] : memref<?x?x64xf32, #tile.symmetric>
  %rank = tile.rank
  tile.forall (%p, %m, %n) in [W, %M ceildiv 32, 2] {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    tile.store %t, %s[%rank, %m, %n] to %p : tensor<32x32xf32>, memref<?x?x64xf32, #tile.symmetric>
  }
  tile.forall (%r, %m, %n) in [W, %M ceildiv 16, 2] {
    %t = tile.load %s[%r, %m, %n] tile [16, 32] : memref<?x?x64xf32, #tile.symmetric> -> tensor<16x32xf32>
    tile.store %t, %c[%r, %m, %n] : tensor<16x32xf32>, memref<?x?x64xf32>
  }
}
