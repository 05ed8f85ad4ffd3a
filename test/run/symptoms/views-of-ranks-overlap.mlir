// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec run %s --world 3 --pattern specialized-push --launches 3 --shuffle --seed 7

// Views of two ranks overlap: a block does not say who wrote the element.
tile.program @overlap(%a: memref<64x64xf32>, %c: memref<?x64xf32>) extents [%a: 64, 64] [%c: W * 64, 64] {
  %full = tile.alloc [W * 64 + 64, 64] : memref<?x64xf32, #tile.symmetric>
  %rank = tile.rank
  %s64 = arith.constant 64 : index
  %one = arith.constant 1 : index
  tile.forall (%m, %n) in [W * 2 + 2, 2] {
    %z = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    tile.store %z, %full[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.forall (%p, %m, %n) in [W, 2, 2] {
    %base = arith.muli %rank, %s64 : index
    %v = memref.subview %full[%base, 0] [128, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<128x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<64x64xf32> -> tensor<32x32xf32>
    tile.store %t, %v[%m, %n] to %p : tensor<32x32xf32>, memref<128x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  }
  tile.forall (%r, %m, %n) in [W, 2, 2] {
    %base = arith.muli %r, %s64 : index
    %two = arith.constant 2 : index
    %mm = arith.addi %m, %two : index
    %v = memref.subview %full[%base, 0] [128, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<128x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
    %w = memref.subview %c[%base, 0] [64, 64] [1, 1] : memref<?x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
    %t = tile.load %v[%mm, %n] tile [32, 32] : memref<128x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric> -> tensor<32x32xf32>
    tile.store %t, %w[%m, %n] : tensor<32x32xf32>, memref<64x64xf32, strided<[64, 1], offset: ?>>
  }
}
