// A gather in place: a rank sends its part to the others alone, tells nobody of what it has itself, and waits for nothing there.
// RUN: tilec %s --world 4 --pattern specialized-push --granularity group-4 --until=waits | FileCheck %s
// RUN: tilec %s --world 4 --pattern sequential-push --until=waits | FileCheck %s
// What others wait for is sent first, this rank's own part is multiplied first; a window of tiles has no rows of the next rank. A rank needs the
// part of the next one second, so each sends to the one before it first. Where a window holds all rows of a part, the first columns of all of them
// go first; and a task moves so few rows that each workgroup has two for a rank.
// RUN: tilec %s --world 4 --target sm_90a --pattern specialized-push --until=order | FileCheck %s --check-prefix=ORDER
// RUN: tilec %s --world 4 --target sm_90a --pattern specialized-push --extent M=512,N=512,K=256 --until=order | FileCheck %s --check-prefix=SHORT
// RUN: tilec %s --world 4 --target sm_90a --pattern specialized-push --granularity group-16 --extent M=2048,N=3584,K=4096 --until=order | FileCheck %s --check-prefix=DEEP
// RUN: tilec %s --world 2 --target sm_90a --pattern specialized-push --granularity group-16 --extent M=4096,N=2048,K=8192 --until=order | FileCheck %s --check-prefix=TALL
// RUN: tilec %s --world 4 --target gfx942 --pattern specialized-push --granularity group-16 --extent M=2048,N=3584,K=4096 --until=order | FileCheck %s --check-prefix=ALIKE

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

// ORDER: tile.forall (%peer, %i, %j_group) in {{.*}} order [#tile.rank_first<0, backward>]
// ORDER: tile.forall (%m, %n) in {{.*}} order [#tile.grouped<16>, #tile.rank_first<0>]
// DEEP: tile.forall (%peer, %i, %j_group) in [4, 128, 2] order [#tile.permuted<0, 2, 1>, #tile.rank_first<0, backward>]
// DEEP: tile.load %mine [%i, %j] tile [16, 128]
// TALL: tile.forall (%peer, %i, %j_group) in [2, 64, 4] order [#tile.rank_first<0, backward>]
// TALL: tile.load %mine [%i, %j] tile [64, 128]
// ALIKE: tile.load %mine [%i, %j] tile [64, 128]
// SHORT: tile.forall (%m, %n) in {{.*}} order [#tile.grouped<4>, #tile.rank_first<0>]
tile.program @gather_matmul<%M, %N, %K>(%full: memref<?x?xbf16, #tile.symmetric>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%full: W * %M, %K] [%b: %N, %K] [%c: W * %M, %N] {
  %rank = tile.rank
  %first = arith.muli %rank, %M : index
  %mine = memref.subview %full[%first, 0] [%M, %K] [1, 1] : memref<?x?xbf16, #tile.symmetric> to memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>
  tile.all_gather %mine into %full dim 0 : memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %full, transpose %b into %c tiles [128, 256, 64] : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xbf16>
}
