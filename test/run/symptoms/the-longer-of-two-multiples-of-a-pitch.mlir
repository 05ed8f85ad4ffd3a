// Of two dimensions with multiples of one pitch the longer stride came first: the shorter one had to step over all of it, and grew until rounds were over (elements
// share memory).
// RUN: tilec verify %s --world 1 | FileCheck %s --check-prefix=VERIFIED
// VERIFIED: @copy: verified on 1 ranks
// RUN: tilec run %s --world 1 --launches 2 --extents-from 1,40 | FileCheck %s
// CHECK: largest error 0
tile.program @copy<%N, %pitch_b, %pitch_c>(%a: memref<2x2x?x48xi32>, %out2: memref<2x2x?x48xi32, strided<[?, 1, ?, ?]>>) extents [%a: 2, 2, %N, 48] [%out2: 2, 2, %N, 48 strides %pitch_b, 1, 48 * %pitch_c + 1, %pitch_c] {
  tile.forall (%m2, %n2, %l, %i) over %out2 tiles [4, 16, 8, 2] : memref<2x2x?x48xi32, strided<[?, 1, ?, ?]>> {
    %t2 = tile.load %a[%m2, %n2, %l, %i] tile [4, 16, 8, 2] : memref<2x2x?x48xi32> -> tensor<4x16x8x2xi32>
    tile.store %t2, %out2[%m2, %n2, %l, %i] : tensor<4x16x8x2xi32>, memref<2x2x?x48xi32, strided<[?, 1, ?, ?]>>
  }
}
