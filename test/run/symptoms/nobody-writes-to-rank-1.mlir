// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec run %s --world 3 --pattern specialized-push --launches 3 --extents-from 1,40,100 --shuffle --seed 7

// Everybody sends to rank 0: the others waited for a signal that nobody raises.
tile.program @to_root<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%c: W * %M, 64] {
  %full = tile.alloc [W * %M, 64] : memref<?x64xf32, #tile.symmetric>
  %rank = tile.rank
  %root = arith.constant 0 : index
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %z = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    tile.store %z, %full[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.forall (%m, %n) in [%M ceildiv 32, 2] {
    %base = arith.muli %rank, %M : index
    %v = memref.subview %full[%base, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    tile.store %t, %v[%m, %n] to %root : tensor<32x32xf32>, memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  }
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %full[%m, %n] tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}
