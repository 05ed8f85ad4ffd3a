// RUN: tilec run %s --world 1 --shuffle --seeds 3 --race
// RUN: tilec %s --world 1 --emit=hip | FileCheck %s

// The product replaces one of its operands. The last pass of its loop loads its own tiles again, for nothing, and no
// barrier stood between these loads and the store.
// CHECK: for (int k = whole; k < 8; ++k)
// CHECK: tilec::load_live
// CHECK: mma
// CHECK: tilec::barrier();
// CHECK: tilec::store<
tile.program @inplace(%a: memref<64x256xbf16>, %b: memref<64x256xbf16>) extents [%a: 64, 256] [%b: 64, 256] {
  tile.forall (%m) in [1] {
    %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %acc = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %zero) -> tensor<64x64xf32> {
      %ta = tile.load %a[%m, %k] tile [64, 32] : memref<64x256xbf16> -> tensor<64x32xbf16>
      %tb = tile.load %b[%m, %k] tile [64, 32] : memref<64x256xbf16> -> tensor<64x32xbf16>
      %n = tile.dot %ta, transpose %tb, %s : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
      scf.yield %n : tensor<64x64xf32>
    }
    %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
    %c3 = arith.constant 3 : index
    tile.store %out, %a[%m, %c3] : tensor<64x64xbf16>, memref<64x256xbf16>
  }
}
