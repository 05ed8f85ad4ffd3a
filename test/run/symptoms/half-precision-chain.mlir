// RUN: tilec run %s --world 1

// Every f16 operation rounds: the emulator kept a chain of them in f32. A narrow erf is rounded after its f32 error.
tile.program @chain<%M>(%x: memref<?x64xf16>, %y: memref<64x?xf16>, %c: memref<?x64xf16>, %d: memref<?x64xf16>)
    extents [%x: %M, 64] [%y: 64, %M] [%c: %M, 64] [%d: %M, 64] {
  tile.forall (%m, %n) over %c tiles [32, 8] : memref<?x64xf16> {
    %t = tile.load %x[%m, %n] tile [32, 8] : memref<?x64xf16> -> tensor<32x8xf16>
    %u = tile.load %y[%n, %m] tile [8, 32] : memref<64x?xf16> -> tensor<8x32xf16>
    %turned = tile.transpose %u [1, 0] : tensor<8x32xf16> -> tensor<32x8xf16>
    %difference = arith.subf %t, %turned : tensor<32x8xf16>
    %ratio = arith.divf %t, %difference : tensor<32x8xf16>
    tile.store %ratio, %c[%m, %n] : tensor<32x8xf16>, memref<?x64xf16>
  }
  tile.forall (%m, %n) over %d tiles [32, 8] : memref<?x64xf16> {
    %t = tile.load %x[%m, %n] tile [32, 8] : memref<?x64xf16> -> tensor<32x8xf16>
    %e = math.erf %t : tensor<32x8xf16>
    tile.store %e, %d[%m, %n] : tensor<32x8xf16>, memref<?x64xf16>
  }
}
