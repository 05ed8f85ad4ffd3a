// Signals of tasks are raised by a wave of the producer, which publishes while those who multiply go on; tiles for all ranks it sends on from home.
// RUN: tilec %s --world 2 --target sm_90a --pattern sequential-push --until=schedule | FileCheck %s
// RUN: tilec %s --world 2 --target sm_90a --pattern sequential-push --emit=hip | FileCheck %s --check-prefix=TEXT
// Without a producer tasks signal themselves.
// RUN: tilec %s --world 2 --target gfx950 --pattern sequential-push --until=schedule | FileCheck %s --check-prefix=PLAIN --implicit-check-not=tile.tell
// PLAIN: tile.signal system %multiply_arrived

// The signal leaves the branch in which an owner adds what has come; what it publishes is said in words.
// CHECK: scf.if %is_other {
// CHECK: tile.store %{{.*}}, %{{.*}} to %shard
// CHECK-NOT: tile.signal
// CHECK: } else {
// CHECK: tile.tell {
// CHECK-NEXT: scf.if %is_other {
// CHECK-NEXT: tile.signal system by wave %multiply_arrived[%rank, %m, %n] to %shard {tile.comment = "publishes the tile of slots"} : <3>
// CHECK-NEXT: }
// CHECK-NEXT: }

// TEXT: auto telling = tilec::telling(32, 8);
// TEXT: if constexpr (role.produces) {
// TEXT: tilec::tell(telling, [&]() TILEC_LAMBDA {
// TEXT-NEXT: if (is_other) {
// TEXT-NEXT: // publishes the tile of slots
// TEXT-NEXT: tilec::signal<tilec::system, tilec::wave>(launch, multiply_arrived, {rank, m, n}, shard);
// TEXT-NEXT: }
// TEXT-NEXT: });
// TEXT-NEXT: } else {
// TEXT-NOT: tilec::signal
// TEXT: tilec::hand_on(telling);
// TEXT-NEXT: }
tile.program @scatter<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: W * %M, %K] [%b: %N, %K] [%c: %M, %N] {
  %part = tile.alloc [W * %M, %N] : memref<?x?xbf16, #tile.symmetric>
  tile.matmul %a, transpose %b into %part tiles [128, 256, 64] : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16, #tile.symmetric>
  tile.reduce_scatter %part into %c dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>
}
