// RUN: tilec run %s --world 1

// `tile.reduce add` of bf16 and f16 adds in f32: it rounded after every addition.
tile.program @sums<%M>(%a: memref<?x64xbf16>, %b: memref<?x64xf16>, %c: memref<?xbf16>, %d: memref<64xf16>)
    extents [%a: %M, 64] [%b: %M, 64] [%c: %M] {
  %zero = arith.constant 0 : index
  tile.forall (%m) over %c tiles [16] : memref<?xbf16> {
    %t = tile.load %a[%m, %zero] tile [16, 64] : memref<?x64xbf16> -> tensor<16x64xbf16>
    %s = tile.reduce add %t dim 1 : tensor<16x64xbf16> -> tensor<16xbf16>
    tile.store %s, %c[%m] : tensor<16xbf16>, memref<?xbf16>
  }
  tile.forall (%n) over %d tiles [32] : memref<64xf16> {
    %t = tile.load %b[%zero, %n] tile [64, 32] : memref<?x64xf16> -> tensor<64x32xf16>
    %s = tile.reduce add %t dim 0 : tensor<64x32xf16> -> tensor<32xf16>
    tile.store %s, %d[%n] : tensor<32xf16>, memref<64xf16>
  }
}
