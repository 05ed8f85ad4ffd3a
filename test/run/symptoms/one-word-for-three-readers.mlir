// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec verify %s --world 3 --pattern sequential-pull
// RUN: tilec run %s --world 3 --pattern sequential-pull --launches 3 --extents-from 1,40,100 --shuffle --seed 7

// The readers of a tile are several ranks: one word cannot stand for all of them.
tile.program @fwd_war<%M>(%a: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%c: W * %M, 64] {
  %full = tile.alloc [W * %M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.all_gather %a into %full dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %a tiles [32, 32] : memref<?x64xf32, #tile.symmetric> {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %a[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %full[%m, %n] tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}
