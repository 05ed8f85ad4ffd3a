// Tiles that tasks store to every rank a wave of the producer sends on from home, where products last long enough for the links: all but the
// last one of a workgroup, which its waves store themselves. A piece is read once for all ranks, from the next one on.
// RUN: tilec %s --world 2 --target sm_90a --extent M=8192,N=7168,K=8192 --pattern sequential-push --until=schedule | FileCheck %s
// RUN: tilec %s --world 2 --target sm_90a --extent M=8192,N=7168,K=8192 --pattern sequential-push --emit=hip | FileCheck %s --check-prefix=TEXT
// RUN: tilec %s --world 4 --target sm_90a --extent M=8192,N=7168,K=8192 --pattern sequential-push --emit=hip | FileCheck %s --check-prefix=FOUR
// Links that have no time to spare, products whose length a launch says, other machines.
// RUN: tilec %s --world 2 --target sm_90a --extent M=8192,N=7168,K=1024 --pattern sequential-push --until=schedule | FileCheck %s --check-prefix=PLAIN --implicit-check-not=tile.relay
// RUN: tilec %s --world 8 --target sm_90a --extent M=8192,N=7168,K=8192 --pattern sequential-push --until=schedule | FileCheck %s --check-prefix=PLAIN --implicit-check-not=tile.relay
// RUN: tilec %s --world 2 --target sm_90a --until=schedule | FileCheck %s --check-prefix=PLAIN --implicit-check-not=tile.relay
// RUN: tilec %s --world 2 --target gfx942 --extent M=8192,N=7168,K=8192 --pattern sequential-push --until=schedule | FileCheck %s --check-prefix=PLAIN --implicit-check-not=tile.relay
// PLAIN: tile.store %{{.*}} to %peer

// CHECK: producer = #tile.producer<waves = 4, registers = 40, consumers = 232>
// CHECK: %[[PIECES:.*]] = tile.shared_buffer kept : memref<4x2048xbf16, #tile.shared<1, 1, 1>>
// CHECK: %[[CAME:.*]] = tile.full slots 4
// CHECK: %bulk = tile.moves_in_bulk %subview, %subview
// CHECK-NEXT: %has_next = tile.has_next
// CHECK-NEXT: %is_sent = arith.andi %bulk, %has_next : i1
// CHECK-NEXT: scf.if %is_sent {
// CHECK-NEXT: tile.store %[[TILE:.*]], %subview [%m, %n] after
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.for %ahead
// CHECK: %peer = arith.remui
// CHECK: tile.store %[[TILE]], %{{.*}} [%m, %n] to %peer
// CHECK: tile.tell {
// CHECK: %sent = arith.select %is_sent
// CHECK: %peer = arith.remui %{{.*}}, %{{.*}} : index
// CHECK-NEXT: tile.relay %subview -> %subview[%m, %n] tile [128, 256] parts %sent to %peer after %{{.*}} through %[[PIECES]] full %[[CAME]]

// TEXT: const bool has_next = 1792 - task > launch.workgroups;
// TEXT: tilec::tell(telling, [&]() TILEC_LAMBDA {
// TEXT-NEXT: const int sent = is_sent ? 1 : 0;
// TEXT-NEXT: const int peer = (rank + 1) % 2;
// TEXT-NEXT: tilec::relay<4096>(full_2, {{[0-9]+}}, tilec::view_at(c, {0, value}, {8192, 7168}, {14336, 1}), {m * 128, n * 256}, {128, sent * 256}, tilec::view_at(tilec::remote(context, c, peer), {0, value}, {8192, 7168}, {14336, 1}));
// FOUR: tilec::relay<4096>({{.*}}, tilec::view_at(tilec::remote(context, c, peer), {{.*}}, tilec::view_at(tilec::remote(context, c, peer_2), {{.*}}, tilec::view_at(tilec::remote(context, c, peer_3), {{.*}});
// TEXT: if (is_sent) {
// TEXT-NEXT: tilec::store<8>(tile_2, tilec::view_at(c, {0, value}, {8192, 7168}, {14336, 1}), {m * 128, n * 256});
// TEXT-NEXT: } else {
// TEXT-NEXT: for (int ahead = 1; ahead < 3; ++ahead) {
// TEXT-NEXT: const int peer = (rank + ahead) % 2;
// TEXT: tilec::hand_on(telling);
tile.program @matmul_all_scatter<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16, #tile.symmetric>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, W * %N] {
  %part = tile.alloc [%M, %N] : memref<?x?xbf16, #tile.symmetric>
  tile.matmul %a, transpose %b into %part tiles [128, 256, 64] : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16, #tile.symmetric>
  tile.all_gather %part into %c dim 1 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
}
