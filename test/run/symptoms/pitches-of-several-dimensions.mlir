// Two dimensions have multiples of one pitch and a third another one, which came between them: each made the other longer until rounds were over (elements
// share memory).
// RUN: tilec run %s --world 1 --launches 2 --extents-from 40 | FileCheck %s
// CHECK: largest error 0
tile.program @copy<%N, %outer, %inner>(%x: memref<2x3x40x?xi32, strided<[?, ?, 1, ?]>>, %y: memref<2x3x40x?xi32>)
    extents [%x: 2, 3, 40, %N strides %N * %inner, %outer, 1, %inner] [%y: 2, 3, 40, %N] {
  tile.forall (%a, %b, %c, %n) over %y tiles [2, 4, 8, 16] : memref<2x3x40x?xi32> {
    %t = tile.load %x[%a, %b, %c, %n] tile [2, 4, 8, 16] : memref<2x3x40x?xi32, strided<[?, ?, 1, ?]>> -> tensor<2x4x8x16xi32>
    tile.store %t, %y[%a, %b, %c, %n] : tensor<2x4x8x16xi32>, memref<2x3x40x?xi32>
  }
}
