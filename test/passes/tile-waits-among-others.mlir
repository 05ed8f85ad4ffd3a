// A gather in place: a rank sends its part to the others alone, tells nobody of what it has itself, and waits for nothing there.
// RUN: tilec %s --world 4 --pattern specialized-push --granularity group-4 --until=waits | FileCheck %s
// RUN: tilec %s --world 4 --pattern sequential-push --until=waits | FileCheck %s
// What others wait for is sent first, this rank's own part is multiplied first; a window of tiles has no rows of the next rank.
// RUN: tilec %s --world 4 --target sm_90a --pattern specialized-push --until=order | FileCheck %s --check-prefix=ORDER
// RUN: tilec %s --world 4 --target sm_90a --pattern specialized-push --extent M=512,N=512,K=256 --until=order | FileCheck %s --check-prefix=SHORT

// CHECK: tile.role @send
// CHECK: tile.forall (%peer,
// CHECK: %is_other = arith.cmpi ne, %peer, %rank : index
// CHECK: scf.if %is_other {
// CHECK-NEXT: tile.signal system %send_arrived[%rank, %i, {{.*}}] to %peer publishes
// CHECK-NEXT: }
// CHECK: tile.role @multiply
// CHECK: scf.for %source =
// CHECK: %[[OTHER:.*]] = arith.cmpi ne, %source, %rank : index
// CHECK: scf.if %[[OTHER]] -> (!tile.token) {
// CHECK: tile.wait system %send_arrived[%source,
// CHECK: } else {
// CHECK-NEXT: scf.yield

// ORDER: tile.forall (%peer, %i, %j_group) in {{.*}} order [#tile.rank_first<0, ahead = 1>]
// ORDER: tile.forall (%m, %n) in {{.*}} order [#tile.grouped<16>, #tile.rank_first<0>]
// SHORT: tile.forall (%m, %n) in {{.*}} order [#tile.grouped<4>, #tile.rank_first<0>]
tile.program @gather_matmul<%M, %N, %K>(%full: memref<?x?xbf16, #tile.symmetric>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%full: W * %M, %K] [%b: %N, %K] [%c: W * %M, %N] {
  %rank = tile.rank
  %first = arith.muli %rank, %M : index
  %mine = memref.subview %full[%first, 0] [%M, %K] [1, 1] : memref<?x?xbf16, #tile.symmetric> to memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>
  tile.all_gather %mine into %full dim 0 : memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %full, transpose %b into %c tiles [128, 256, 64] : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xbf16>
}
