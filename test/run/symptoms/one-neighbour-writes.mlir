// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec run %s --world 3 --pattern specialized-push --launches 3 --extents-from 1,40,100 --shuffle --seed 7

// Each rank has one writer, at a place that depends on that writer: waiting for all ranks would hang.
tile.program @neighbour_block<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%c: W * %M, 64] {
  %s = tile.alloc [W * %M, 64] : memref<?x64xf32, #tile.symmetric>
  %rank = tile.rank
  %one = arith.constant 1 : index
  %world = tile.world_size
  %after = arith.addi %rank, %one : index
  %next = arith.remui %after, %world : index
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %z = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    tile.store %z, %s[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.forall (%m, %n) over %a tiles [32, 32] : memref<?x64xf32> {
    %base = arith.muli %rank, %M : index
    %v = memref.subview %s[%base, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    tile.store %t, %v[%m, %n] to %next : tensor<32x32xf32>, memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  }
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %s[%m, %n] tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
    tile.store %t, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}
