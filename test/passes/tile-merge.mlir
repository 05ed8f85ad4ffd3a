// Owners add: what a product sends to the others and what multiplies a rank's own part and adds what has come become one loop over tasks.
// RUN: tilec %s --world 4 --target sm_90a --pattern sequential-push --until=fuse | FileCheck %s --check-prefix=FUSE
// RUN: tilec %s --world 4 --target sm_90a --pattern sequential-push --until=merge | FileCheck %s
// RUN: tilec %s --world 4 --target sm_90a --pattern sequential-push --extent M=512,N=512,K=256 --emit=hip | FileCheck %s --check-prefix=TEXT
// Under other patterns there is no such sum; and another order keeps the roles apart.
// RUN: tilec %s --world 4 --target sm_90a --pattern bulk-push --until=merge | FileCheck %s --check-prefix=APART
// RUN: tilec %s --world 4 --target sm_90a --pattern specialized-push --until=merge | FileCheck %s --check-prefix=APART
// RUN: tilec %s --world 4 --target sm_90a --pattern sequential-push --order none --until=merge | FileCheck %s --check-prefix=APART
// Nor where waves hold operands, or where slots are as wide as the sums.
// RUN: tilec %s --world 4 --target gfx950 --pattern sequential-push --until=merge | FileCheck %s --check-prefix=APART
// RUN: sed 's/xbf16, #tile.symmetric/xf32, #tile.symmetric/g' %s | tilec - --world 4 --target sm_90a --pattern sequential-push --until=merge | FileCheck %s --check-prefix=APART
// APART: tile.role @multiply
// APART: tile.role @{{combine|multiply_2|send}}

// FUSE: tile.role @multiply
// FUSE-NEXT: tile.forall (%shard, %m, %n) in
// FUSE-NEXT: %is_other = arith.cmpi ne, %shard, %rank : index
// FUSE-NEXT: scf.if %is_other {
// FUSE: tile.store %{{.*}}, %{{.*}} [%m, %n] to %shard
// FUSE: tile.role @multiply_2
// FUSE-NEXT: tile.forall (%m, %n) in
// FUSE: arith.muli %rank,
// FUSE: tile.dot
// FUSE: %[[OWN:.*]] = arith.extf
// FUSE: scf.for %other = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %[[OWN]])
// FUSE: %source = arith.remui
// FUSE: tile.load %{{.*}} [%m, %n] tile [128, 256]
// FUSE: arith.addf
// FUSE: tile.store %{{.*}}, %c [%m, %n]

// CHECK: tile.role @multiply
// CHECK-NEXT: tile.forall (%shard, %m, %n) in {{.*}} order [#tile.grouped<{{[0-9]+}}>, #tile.rank_first<0, ahead = 1>]
// CHECK: tile.dot
// CHECK: scf.if %is_other {
// CHECK: tile.store %{{.*}} to %shard
// CHECK: tile.signal system %multiply_arrived[%rank, %m, %n] to %shard
// CHECK: } else {
// CHECK: tile.wait system %multiply_arrived[%source, %m, %n]
// CHECK: tile.load
// CHECK: tile.store %{{.*}}, %c [%m, %n]
// CHECK-NOT: tile.dot
// CHECK-NOT: tile.role

// One producer feeds all tasks, and brings what others sent. What goes from rank to rank lies in the order of registers; the sum alone is turned by way of LDS.
// TEXT: tilec::by_role<8,
// TEXT: const int shard = tilec::rotate(outer, 4, rank + 1);
// TEXT: tilec::copying_run(runs_ring.slot<slot>(), tilec::view(slots + {{.*}}, {m, n, part * 16384})
// TEXT: if (is_other) {
// TEXT: } else {
// TEXT: tilec::store<8>(out, tilec::view(tilec::remote(context, slots, shard){{.*}}, {m, n, 0}, tilec::packed);
// TEXT: } else {
// TEXT: tilec::load<{{.*}}>(tilec::shared<RunsRingShared>(slot * 32768
// TEXT: tilec::rearrange<{{.*}}>(tilec::shared<{{.*}}>({{[0-9]+}}), out_2)
tile.program @matmul_scatter<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: W * %M, %K] [%b: %N, %K] [%c: %M, %N] {
  %part = tile.alloc [W * %M, %N] : memref<?x?xbf16, #tile.symmetric>
  tile.matmul %a, transpose %b into %part tiles [128, 256, 64] : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16, #tile.symmetric>
  tile.reduce_scatter %part into %c dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>
}
