// RUN: tilec %s --world 4 --emit=hip | FileCheck %s
// RUN: tilec run %s --world 4 --extents-from 40,8,200 --launches 3

// Blocks of M / 4 x 8192 elements: with a million rows their product leaves 32 bits.
// CHECK: tilec::view(full, {4, M / 4, 8192}, {M / 4 * 8192ll, 8192, 1})
// CHECK-NOT: M / 4 * 8192,
tile.program @offset_of_a_quotient<%M>(%a: memref<4x?x8192xf32>, %c: memref<?x8192xf32>) extents [%a: 4, %M floordiv 4, 8192] [%c: %M floordiv 4, 8192] {
  %full = tile.alloc [4, %M floordiv 4, 8192] : memref<4x?x8192xf32>
  tile.forall (%i, %m, %n) over %full tiles [1, 8, 128] : memref<4x?x8192xf32> {
    %t = tile.load %a[%i, %m, %n] tile [1, 8, 128] : memref<4x?x8192xf32> -> tensor<1x8x128xf32>
    tile.store %t, %full[%i, %m, %n] : tensor<1x8x128xf32>, memref<4x?x8192xf32>
  }
  tile.forall (%m, %n) over %c tiles [8, 128] : memref<?x8192xf32> {
    %three = arith.constant 3 : index
    %t = tile.load %full[%three, %m, %n] tile [8, 128] : memref<4x?x8192xf32> -> tensor<8x128xf32>
    tile.store %t, %c[%m, %n] : tensor<8x128xf32>, memref<?x8192xf32>
  }
}
