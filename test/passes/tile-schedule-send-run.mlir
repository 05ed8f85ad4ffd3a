// Runs of scratch that tasks store to one other rank: they stay at home, in a part of their own for each receiver, and a wave of the producer
// sends them, where products last long enough for the links. The signal follows the run.
// RUN: tilec %s --world 4 --target sm_90a --extent M=2048,N=4096,K=3584 --pattern sequential-push --until=schedule | FileCheck %s
// RUN: tilec %s --world 4 --target sm_90a --extent M=2048,N=4096,K=3584 --pattern sequential-push --emit=hip | FileCheck %s --check-prefix=TEXT
// RUN: tilec %s --world 4 --target sm_90a --extent M=2048,N=4096,K=512 --pattern sequential-push --until=schedule | FileCheck %s --check-prefix=PLAIN --implicit-check-not=tile.relay
// RUN: tilec %s --world 4 --target sm_90a --pattern sequential-push --until=schedule | FileCheck %s --check-prefix=PLAIN --implicit-check-not=tile.relay
// PLAIN: tile.store %{{.*}} to %shard : tensor<32768xbf16

// CHECK: %[[OUTBOX:.*]] = tile.alloc [4, 16, 16, 32768] : memref<4x16x16x32768xbf16>
// CHECK: %[[SLOTS:.*]] = tile.alloc [4, 16, 16, 32768] {copies = 2 : i64} : memref<4x16x16x32768xbf16, #tile.symmetric>
// CHECK: %[[PIECES:.*]] = tile.shared_buffer kept : memref<4x2048xbf16, #tile.shared<1, 1, 1>>
// CHECK: %[[CAME:.*]] = tile.full slots 4
// CHECK: %[[HOME:.*]] = memref.subview %[[OUTBOX]][%shard, 0, 0, 0] [1, 16, 16, 32768]
// CHECK: tile.store %{{.*}}, %[[HOME]] [%m, %n, %{{.*}}] : tensor<32768xbf16
// CHECK: tile.tell {
// CHECK-NEXT: scf.if %is_other {
// CHECK: %[[FROM:.*]] = memref.subview %{{.*}}[%m, 0, 0] [1, 16, 32768]
// CHECK: %[[INTO:.*]] = memref.subview %{{.*}}[%m, 0, 0] [1, 16, 32768]
// CHECK: tile.relay %[[FROM]] -> %[[INTO]][%n, %{{.*}}] tile [1, 32768] parts %{{.*}} to %shard through %[[PIECES]] full %[[CAME]]
// CHECK-NEXT: tile.signal system by wave %multiply_arrived[%rank, %m, %n] to %shard

// TEXT: tilec::tell(telling, [&]() TILEC_LAMBDA {
// TEXT-NEXT: if (is_other) {
// TEXT-NEXT: tilec::relay<4096>(full_2, {{[0-9]+}}, tilec::view(outbox + (shard * 8388608ll + m * 524288ll), {16, 32768}, {32768, 1}), {n, 0}, {1, 32768}, tilec::view(tilec::remote(context, slots, shard) + (rank * 8388608ll + m * 524288ll), {16, 32768}, {32768, 1}));
// TEXT-NEXT: // publishes the tile of slots
// TEXT-NEXT: tilec::signal<tilec::system, tilec::wave>(launch, multiply_arrived, {rank, m, n}, shard);
// TEXT: tilec::store<8>(out, tilec::view(outbox + {{.*}}, {m, n, 0}, tilec::packed);
tile.program @matmul_scatter<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: W * %M, %K] [%b: %N, %K] [%c: %M, %N] {
  %part = tile.alloc [W * %M, %N] : memref<?x?xbf16, #tile.symmetric>
  tile.matmul %a, transpose %b into %part tiles [128, 256, 64] : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16, #tile.symmetric>
  tile.reduce_scatter %part into %c dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>
}
