// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec run %s --world 3 --pattern specialized-push --launches 3 --extents-from 1,40,100 --shuffle --seed 7

// Two exchanges in sequence: the second writes what the first reads.
tile.program @all_to_all<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%a: W * %M, 64] [%c: W * %M, 64] {
  %s = tile.alloc [W * %M, 64] : memref<?x64xf32, #tile.symmetric>
  %t = tile.alloc [W * %M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %a tiles [32, 32] : memref<?x64xf32> {
    %x = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %x, %x : tensor<32x32xf32>
    tile.store %u, %s[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.all_to_all %s into %t dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.all_to_all %t into %s dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %c tiles [64, 32] : memref<?x64xf32> {
    %x = tile.load %s[%m, %n] tile [64, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<64x32xf32>
    tile.store %x, %c[%m, %n] : tensor<64x32xf32>, memref<?x64xf32>
  }
}
