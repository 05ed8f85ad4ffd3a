// Tasks that move tiles as they are: one wave of the producer does them by the copy engine where views lie well, its consumers where they do not.
// RUN: tilec %s --world 2 --target sm_90a --pattern specialized-push --granularity group-4 --until=schedule | FileCheck %s
// RUN: tilec %s --world 2 --target sm_90a --pattern specialized-push --granularity group-4 --emit=hip | FileCheck %s --check-prefix=TEXT
// Without a copy engine, or a producer, or where a task computes with what it moves, nothing changes.
// RUN: tilec %s --world 2 --target gfx950 --pattern specialized-push --granularity group-4 --until=schedule | FileCheck %s --check-prefix=PLAIN --implicit-check-not=tile.relay
// RUN: tilec %s --world 2 --target sm_90a --pattern bulk-push --until=schedule | FileCheck %s --check-prefix=PLAIN --implicit-check-not=tile.relay
// PLAIN: tile.store {{.*}} to %peer

// CHECK: tile.role @send on 8 workgroups
// CHECK: %[[THROUGH:.*]] = tile.shared_buffer kept : memref<12x8192xbf16, #tile.shared<1, 1, 1>>
// CHECK: %[[FULL:.*]] = tile.full slots 12
// CHECK: %bulk = tile.moves_in_bulk %mine, %mine
// CHECK: %moved = arith.select %{{.*}}, %parts, %{{.*}} : index
// CHECK: tile.by_producer when %bulk {
// CHECK-NEXT: %[[MOVED:.*]] = tile.relay %mine -> %mine[%i, %{{.*}}] tile [64, 128] parts %moved to %peer after %{{.*}} through %[[THROUGH]] full %[[FULL]]
// CHECK-NEXT: scf.if %is_other {
// CHECK-NEXT: tile.signal system by wave %send_arrived[%rank, %i, %j_group] to %peer publishes %[[MOVED]]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK: %[[NOT:.*]] = arith.xori %bulk, %true
// CHECK: scf.if %[[NOT]] {
// CHECK: tile.store {{.*}} to %peer
// CHECK: tile.signal system %send_arrived

// TEXT: const bool bulk = tilec::moves_in_bulk(tilec::view_at(full, {first, 0}, {M, K}, {K, 1}), tilec::view_at(full, {first, 0}, {M, K}, {K, 1}));
// TEXT: if constexpr (role.produces) {
// TEXT-NEXT: tilec::by_producer<8>(bulk, [&]() TILEC_LAMBDA {
// TEXT-NEXT: tilec::relay<16384>(full_2, 256, tilec::view_at(full, {first, 0}, {M, K}, {K, 1}), {i * 64, j_group_start * 128}, {64, moved * 128}, tilec::view_at(tilec::remote(context, full, peer_2), {first, 0}, {M, K}, {K, 1}));
// TEXT-NEXT: if (is_other) {
// TEXT-NEXT: tilec::signal<tilec::system, tilec::wave>(launch, send_arrived, {rank, i, j_group}, peer_2);
// TEXT-NEXT: }
// TEXT-NEXT: });
tile.program @gather_matmul<%M, %N, %K>(%full: memref<?x?xbf16, #tile.symmetric>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%full: W * %M, %K] [%b: %N, %K] [%c: W * %M, %N] {
  %rank = tile.rank
  %first = arith.muli %rank, %M : index
  %mine = memref.subview %full[%first, 0] [%M, %K] [1, 1] : memref<?x?xbf16, #tile.symmetric> to memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>
  tile.all_gather %mine into %full dim 0 : memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %full, transpose %b into %c tiles [128, 256, 64] : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xbf16>
}
