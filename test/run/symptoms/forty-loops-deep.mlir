// RUN: tilec %s --world 1 --no-verify --emit=hip | FileCheck %s

// Forty loops in each other took a time and memory that doubled with each.
// CHECK-COUNT-40: for (
// CHECK: tilec::barrier();
// CHECK: tilec::load
// CHECK: tilec::store
tile.program @deep(%a: memref<4096xf32>) extents [%a: 4096] {
  tile.forall (%z) in [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
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
    scf.for %i16 = %c0 to %c2 step %c1 {
    scf.for %i17 = %c0 to %c2 step %c1 {
    scf.for %i18 = %c0 to %c2 step %c1 {
    scf.for %i19 = %c0 to %c2 step %c1 {
    scf.for %i20 = %c0 to %c2 step %c1 {
    scf.for %i21 = %c0 to %c2 step %c1 {
    scf.for %i22 = %c0 to %c2 step %c1 {
    scf.for %i23 = %c0 to %c2 step %c1 {
    scf.for %i24 = %c0 to %c2 step %c1 {
    scf.for %i25 = %c0 to %c2 step %c1 {
    scf.for %i26 = %c0 to %c2 step %c1 {
    scf.for %i27 = %c0 to %c2 step %c1 {
    scf.for %i28 = %c0 to %c2 step %c1 {
    scf.for %i29 = %c0 to %c2 step %c1 {
    scf.for %i30 = %c0 to %c2 step %c1 {
    scf.for %i31 = %c0 to %c2 step %c1 {
    scf.for %i32 = %c0 to %c2 step %c1 {
    scf.for %i33 = %c0 to %c2 step %c1 {
    scf.for %i34 = %c0 to %c2 step %c1 {
    scf.for %i35 = %c0 to %c2 step %c1 {
    scf.for %i36 = %c0 to %c2 step %c1 {
    scf.for %i37 = %c0 to %c2 step %c1 {
    scf.for %i38 = %c0 to %c2 step %c1 {
    scf.for %i39 = %c0 to %c2 step %c1 {
    %t = tile.load %a at (%i39) tile [1024] : memref<4096xf32> -> tensor<1024xf32>
    tile.store %t, %a at (%i39) : tensor<1024xf32>, memref<4096xf32>
    }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  }
}
