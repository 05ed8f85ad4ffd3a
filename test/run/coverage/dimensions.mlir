// RUN: tilec run %s --world 1 --extent M=70

// Tiles of one to four dimensions, some of one element.
tile.program @ranks<%M>(%a: memref<4x?x64xf32>, %c: memref<4x?x64xf32>, %d: memref<?xf32>, %e: memref<4xf32>, %t: memref<2x2x?x64xf32>) extents [%a: 4, %M, 64] [%c: 4, %M, 64] [%d: %M] [%e: 4] [%t: 2, 2, %M, 64] {
  tile.forall (%p, %m, %n) over %c tiles [2, 8, 16] : memref<4x?x64xf32> {
    %x = tile.load %a[%p, %m, %n] tile [2, 8, 16] : memref<4x?x64xf32> -> tensor<2x8x16xf32>
    %r = tile.reduce add %x dim 0 : tensor<2x8x16xf32> -> tensor<8x16xf32>
    %b = tile.broadcast %r dims [1, 2] tile [2, 8, 16] : tensor<8x16xf32> -> tensor<2x8x16xf32>
    %s = arith.addf %x, %b : tensor<2x8x16xf32>
    tile.store %s, %c[%p, %m, %n] : tensor<2x8x16xf32>, memref<4x?x64xf32>
  }
  tile.forall (%m) over %d tiles [64] : memref<?xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = tile.load %a[%c1, %m, %c0] tile [64, 4] : memref<4x?x64xf32> -> tensor<64x4xf32>
    %r = tile.reduce maximum %x dim 1 : tensor<64x4xf32> -> tensor<64xf32>
    tile.store %r, %d[%m] : tensor<64xf32>, memref<?xf32>
    %y = tile.load %a[%c1, %m, %c0] tile [1, 64, 1] : memref<4x?x64xf32> -> tensor<1x64x1xf32>
    %y1 = tile.reshape %y tile [64] : tensor<1x64x1xf32> -> tensor<64xf32>
  }
  tile.forall (%z) in [1] {
    %c0 = arith.constant 0 : index
    %x = tile.load %a[%c0, %c0, %c0] tile [4] : memref<4x?x64xf32> -> tensor<4xf32>
    tile.store %x, %e[%c0] : tensor<4xf32>, memref<4xf32>
  }
  tile.forall (%p, %q, %m, %n) over %t tiles [1, 2, 8, 16] : memref<2x2x?x64xf32> {
    %z = tile.load %a[%p, %m, %n] tile [2, 8, 16] : memref<4x?x64xf32> -> tensor<2x8x16xf32>
    %y = tile.reshape %z tile [1, 2, 8, 16] : tensor<2x8x16xf32> -> tensor<1x2x8x16xf32>
    %w = tile.transpose %y [1, 0, 2, 3] : tensor<1x2x8x16xf32> -> tensor<2x1x8x16xf32>
    %v = tile.transpose %w [1, 0, 2, 3] : tensor<2x1x8x16xf32> -> tensor<1x2x8x16xf32>
    tile.store %v, %t[%p, %q, %m, %n] : tensor<1x2x8x16xf32>, memref<2x2x?x64xf32>
  }
}
