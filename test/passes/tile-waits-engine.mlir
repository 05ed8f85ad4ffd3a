// Copies of the copy engine: what they wait for the first workgroup waits for, and counts in a word that the engine takes; a launch ends when what others copy here has come.
// RUN: tilec %s --world 3 --target gfx942 --pattern specialized-copy-engine --until=waits | FileCheck %s
// RUN: tilec %s --world 3 --target gfx942 --pattern specialized-copy-engine --until=partition | FileCheck %s --check-prefix=MOVES
// RUN: tilec verify %s --world 3 --pattern specialized-copy-engine | FileCheck %s --check-prefix=VERIFIED
// RUN: tilec verify %s --world 1 --pattern specialized-copy-engine
// VERIFIED: verified on 3 ranks

// CHECK: %[[SENT:.*]] = tile.signals [3, %M ceildiv 512, 1]
// CHECK: %[[MAY:.*]] = tile.signals [1] counted
// CHECK: tile.kernel @gather {
// CHECK-NEXT: tile.role @enter first {
// CHECK: scf.for
// CHECK-NEXT: tile.signal system %[[ENTERED:.*]][%rank] to
// CHECK: tile.wait system %[[ENTERED]][
// CHECK: tile.signal system %[[MAY]][%{{.*}}] to %rank
// CHECK: tile.role @send on 1 workgroups attributes {engine} {
// CHECK: %[[TAKEN:.*]] = tile.take_counted %[[MAY]][%{{.*}}] of
// CHECK: tile.forall (%[[PEER:.*]], %[[I:.*]], %[[J:.*]]) in [3, %M ceildiv 512, 1]
// CHECK: %[[ALL:.*]] = tile.extent [%K ceildiv 128]
// CHECK: scf.for %[[COLUMN:.*]] = %{{.*}} to %[[ALL]]
// CHECK: tile.load %{{.*}}[%[[I]], %[[COLUMN]]] tile [512, 128]
// CHECK: tile.store %{{.*}}[%[[I]], %[[COLUMN]]] to %[[PEER]] after %[[TAKEN]]
// CHECK: tile.signal system %[[SENT]][%rank, %[[I]], %[[J]]] to %[[PEER]] publishes
// CHECK: tile.role @multiply
// CHECK: tile.wait system %[[SENT]][
// CHECK: tile.role @leave last {
// Whoever is told that this rank has done may copy here from another rank, too.
// CHECK: scf.for %[[SOURCE:.*]] =
// CHECK: arith.cmpi ne, %[[SOURCE]], %rank
// CHECK: tile.wait system %[[SENT]][%[[SOURCE]],
// CHECK: tile.signal system %[[DONE:.*]][%rank] to
// CHECK: tile.wait system %[[DONE]][

// What a rank copies to itself it copies before the kernel beside, for which the engine cannot wait then: a kernel before it does.
// RUN: tilec %examples/08_all_to_all/all_to_all.mlir --world 3 --target gfx942 --pattern specialized-copy-engine --until=waits | FileCheck %s --check-prefix=GATE
// GATE: tile.kernel @all_to_all_gate {
// GATE: tile.wait
// GATE: tile.kernel @all_to_all {
// GATE-NEXT: tile.role @send on 1 workgroups attributes {engine} {

// MOVES: tile.kernel @gather_copies attributes {engine, waves = 1 : i64} {
// MOVES-NEXT: tile.role @send on 1 workgroups attributes {engine} {
// MOVES: scf.if
// MOVES-NEXT: tile.move %{{.*}} -> %{{.*}}[%{{.*}}, %{{.*}}] tile [512, 128] parts %{{.*}} to %{{.*}} after
// MOVES: tile.kernel @gather attributes {{{.*}}waves
tile.program @gather<%M, %N, %K>(%full: memref<?x?xbf16, #tile.symmetric>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%full: W * %M, %K] [%b: %N, %K] [%c: W * %M, %N] {
  %rank = tile.rank
  %first = arith.muli %rank, %M : index
  %mine = memref.subview %full[%first, 0] [%M, %K] [1, 1] : memref<?x?xbf16, #tile.symmetric> to memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>
  tile.all_gather %mine into %full dim 0 : memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %full, transpose %b into %c : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xbf16>
}
