// RUN: tilec %s --world 1 --emit=hip --no-verify | FileCheck %s

// A product inside sixteen loops: `check` walked its LDS three times as long for each of them.
// CHECK-COUNT-17: for (int {{[ik]}}
// CHECK: tilec::mma
tile.program @deep(%x: memref<64x64xbf16>, %c: memref<64x64xf32>) extents [%x: 64, 64] [%c: 64, 64] {
  tile.forall (%z) in [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
    scf.for %i0 = %c0 to %c2 step %c1 {
    scf.for %i1 = %c0 to %c2 step %c1 {
    scf.for %i2 = %c0 to %c2 step %c1 {
    scf.for %i3 = %c0 to %c2 step %c1 {
    scf.for %i4 = %c0 to %c2 step %c1 {
    scf.for %i5 = %c0 to %c2 step %c1 {
    scf.for %i6 = %c0 to %c2 step %c1 {
    scf.for %i7 = %c0 to %c2 step %c1 {
    scf.for %i8 = %c0 to %c2 step %c1 {
    scf.for %i9 = %c0 to %c2 step %c1 {
    scf.for %i10 = %c0 to %c2 step %c1 {
    scf.for %i11 = %c0 to %c2 step %c1 {
    scf.for %i12 = %c0 to %c2 step %c1 {
    scf.for %i13 = %c0 to %c2 step %c1 {
    scf.for %i14 = %c0 to %c2 step %c1 {
    scf.for %i15 = %c0 to %c2 step %c1 {
    %acc = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %zero) -> tensor<64x64xf32> {
      %t = tile.load %x[%z, %k] tile [64, 32] : memref<64x64xbf16> -> tensor<64x32xbf16>
      %n = tile.dot %t, transpose %t, %s : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
      scf.yield %n : tensor<64x64xf32>
    }
    tile.store %acc, %c[%z, %z] : tensor<64x64xf32>, memref<64x64xf32>
    }}}}}}}}}}}}}}}}
  }
}
