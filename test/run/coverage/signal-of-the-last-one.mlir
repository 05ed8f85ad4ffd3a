// What the last of several tasks tells others it tells itself: a wave of the producer does not know who is last. This
// did not compile.
// RUN: tilec %s --world 2 --target sm_90a --pattern sequential-pull --until=schedule | FileCheck %s
// RUN: for p in sequential-push specialized-staged; do tilec run %s --world 2 --target sm_90a --pattern $p --race --memory weak --shuffle --launches 2 || exit 1; done
// CHECK: tile.arrive
// CHECK-NEXT: scf.if %last
// CHECK-NOT: tile.tell
// CHECK: tile.signal{{ +}}system %combine_arrived
// CHECK: tile.role @
tile.program @sums(%a: memref<128x1024xbf16>, %b: memref<128x1024xbf16>, %c: memref<64x128xbf16>, %d: memref<128x128xbf16>) {
  %part = tile.alloc [128, 128] : memref<128x128xbf16, #tile.symmetric>
  tile.matmul %a, transpose %b into %part tiles [64, 64, 64] split 4 : memref<128x1024xbf16>, memref<128x1024xbf16>, memref<128x128xbf16, #tile.symmetric>
  tile.reduce_scatter %part into %c dim 0 : memref<128x128xbf16, #tile.symmetric>, memref<64x128xbf16>
  tile.forall (%m) in [8] {
    %zero = arith.constant 0 : index
    %t = tile.load %part [%m, %zero] tile [16, 128] : memref<128x128xbf16, #tile.symmetric> -> tensor<16x128xbf16>
    tile.store %t, %d [%m, %zero] : tensor<16x128xbf16>, memref<128x128xbf16>
  }
}
