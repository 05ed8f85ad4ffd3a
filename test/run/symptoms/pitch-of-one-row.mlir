// A drawn extent of 0 gave a pitch of many digits: rows and columns are as far apart where there is one row, and in turn each was asked to step over the
// other (needs more memory than an emulated rank has).
// RUN: tilec run %s --world 1 --launches 2 --seed 2 --extents-from 0,33 | FileCheck %s
// CHECK: largest error 0
tile.program @turned<%N, %K, %pitch>(%x: memref<2x?x?xf32>, %y: memref<2x?x?xf32, strided<[1, ?, ?]>>)
    extents [%x: 2, %N, %K] [%y: 2, %N, %K strides 1, %pitch, %N * %pitch] {
  tile.forall (%b, %n, %k) over %y tiles [2, 16, 16] : memref<2x?x?xf32, strided<[1, ?, ?]>> {
    %t = tile.load %x[%b, %n, %k] tile [2, 16, 16] : memref<2x?x?xf32> -> tensor<2x16x16xf32>
    tile.store %t, %y[%b, %n, %k] : tensor<2x16x16xf32>, memref<2x?x?xf32, strided<[1, ?, ?]>>
  }
}
