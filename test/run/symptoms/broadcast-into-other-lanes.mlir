// The running maximum of a flash attention scales an accumulator whose lanes hold other rows than those of the scores: a lane
// has each element it wants, but in a register that depends on the lane. `stage` took that for a renaming of registers,
// and the text failed a static_assert of the device headers.
// RUN: tilec %s --world 1 --until=stage | FileCheck %s
// RUN: tilec run %s --world 1

// CHECK: %mn = arith.maximumf
// CHECK: tile.broadcast {{.*}} dims [0]
tile.program @rescaled(%q: memref<64x128xbf16>, %k: memref<32x128xbf16>, %o: memref<64x128xbf16>) {
  tile.forall (%m) in [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %qt = tile.load %q[%c0, %c0] tile [64, 128] : memref<64x128xbf16> -> tensor<64x128xbf16>
    %kt = tile.load %k[%c0, %c0] tile [32, 128] : memref<32x128xbf16> -> tensor<32x128xbf16>
    %zero = tile.splat 0.0 [64, 32] : tensor<64x32xf32>
    %m0 = tile.splat 0.0 [64] : tensor<64xf32>
    %o0 = tile.splat 0.0 [64, 128] : tensor<64x128xf32>
    %mx, %acc = scf.for %n = %c0 to %c4 step %c1 iter_args(%mi = %m0, %oi = %o0) -> (tensor<64xf32>, tensor<64x128xf32>) {
      %s = tile.dot %qt, transpose %kt, %zero : tensor<64x128xbf16>, tensor<32x128xbf16>, tensor<64x32xf32>
      %bm = tile.reduce maximum %s dim 1 : tensor<64x32xf32> -> tensor<64xf32>
      %mn = arith.maximumf %mi, %bm : tensor<64xf32>
      %b = tile.broadcast %mn dims [0] tile [64, 128] : tensor<64xf32> -> tensor<64x128xf32>
      %oa = arith.mulf %oi, %b : tensor<64x128xf32>
      %p = arith.truncf %s : tensor<64x32xf32> to tensor<64x32xbf16>
      %on = tile.dot %p, %kt, %oa : tensor<64x32xbf16>, tensor<32x128xbf16>, tensor<64x128xf32>
      scf.yield %mn, %on : tensor<64xf32>, tensor<64x128xf32>
    }
    %ob = arith.truncf %acc : tensor<64x128xf32> to tensor<64x128xbf16>
    tile.store %ob, %o[%c0, %c0] : tensor<64x128xbf16>, memref<64x128xbf16>
  }
}
