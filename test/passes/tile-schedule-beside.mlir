// A wave of the producer of every workgroup sends what few workgroups sent, while the others multiply: it draws the tasks, waits, moves and
// signals by itself, through slots of its own.
// RUN: tilec %s --world 2 --target sm_90a --granularity group-16 --until=schedule | FileCheck %s
// RUN: tilec %s --world 2 --target sm_90a --granularity group-16 --emit=hip | FileCheck %s --check-prefix=TEXT
// RUN: tilec %s --world 2 --target sm_90a --granularity group-16 --trace --emit=hip | FileCheck %s --check-prefix=TRACE
// RUN: tilec explain %s --world 2 --target sm_90a --granularity group-16 --extent M=4096,N=2048,K=8192 | FileCheck %s --check-prefix=COST
// Rows of 1 KB are too short for the links, and of 16 KB a workgroup's share would come late; other machines have no such wave.
// RUN: tilec %s --world 2 --target sm_90a --granularity group-4 --until=schedule | FileCheck %s --check-prefix=FEW --implicit-check-not=beside
// RUN: tilec %s --world 2 --target sm_90a --granularity group-64 --until=schedule | FileCheck %s --check-prefix=FEW --implicit-check-not=beside
// RUN: tilec %s --world 2 --target gfx942 --granularity group-16 --until=schedule | FileCheck %s --check-prefix=FEW --implicit-check-not=beside
// FEW: tile.role @send on 8 workgroups
// Where it pays is chosen: where links need long for what a product lasts.
// RUN: tilec %s --world 2 --target sm_90a --extent M=4096,N=2048,K=8192 --until=choose | FileCheck %s --check-prefix=LONG
// RUN: tilec %s --world 2 --target sm_90a --extent M=4096,N=7168,K=8192 --until=choose | FileCheck %s --check-prefix=SHORT
// LONG: granularity = #tile.granularity<group, 16>
// SHORT: granularity = #tile.granularity<group, 64>
// COST: role send of gather_matmul: {{.*}} by a wave of each workgroup

// CHECK: tile.role @send attributes {beside} {
// CHECK: tile.wait system by wave %entered
// CHECK: tile.forall (%peer, %i, %j_group)
// CHECK-NEXT: %[[PIECES:.*]] = tile.shared_buffer kept : memref<4x1024xbf16, #tile.shared<1, 1, 1>>
// CHECK-NEXT: %[[CAME:.*]] = tile.full slots 4
// CHECK-NOT: tile.load
// CHECK: %[[MOVED:.*]] = tile.relay {{.*}} through %[[PIECES]] full %[[CAME]]
// CHECK-NOT: tile.store
// CHECK: tile.signal system by wave %send_arrived{{.*}} publishes %[[MOVED]]
// CHECK: tile.role @multiply
// Room for its slots is made by a buffer that two others share, with a meeting between them.
// CHECK: tile.rest
// CHECK: tile.barrier
// CHECK-NEXT: %{{.*}} = tile.rearrange

// TEXT: auto tickets = tilec::tickets(16, 8, 1);
// TEXT: tilec::by_role<8, 56, 224, 1>([&](auto role) TILEC_LAMBDA {
// TEXT-NEXT: if constexpr (role.sends) {
// TEXT: // before the writes to full
// TEXT-NEXT: tilec::wait<tilec::system, tilec::wave>(launch, entered, {0}, {2});
// TEXT: // send
// TEXT-NEXT: for (int task = tilec::next_by_wave(launch, 0); task < send_tasks; task = tilec::next_by_wave(launch, 0)) {
// TEXT: tilec::relay_or_copy<2048>(
// TEXT: if (is_other) {
// TEXT-NEXT: tilec::signal<tilec::system, tilec::wave>(launch, send_arrived, {rank, i, j_group}, peer_2);
// TEXT: if constexpr (!role.sends) {
// TEXT: for (int task = tilec::next(launch, 1, tickets);
// TRACE: tilec::trace(launch, 0, 8, /*tells=*/true);
// TRACE: if constexpr (role.sends) {
// TRACE: tilec::task_begins(trace, 1, task);
tile.program @gather_matmul<%M, %N, %K>(%full: memref<?x?xbf16, #tile.symmetric>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%full: W * %M, %K] [%b: %N, %K] [%c: W * %M, %N] attributes {pattern = #tile.pattern<specialized, push>} {
  %zero = arith.constant 0 : index
  %rank = tile.rank
  %first = arith.muli %rank, %M : index
  %mine = memref.subview %full[%first, 0] [%M, %K] [1, 1] : memref<?x?xbf16, #tile.symmetric> to memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>
  tile.all_gather %mine into %full dim 0 : memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %full, transpose %b into %c : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xbf16>
}
