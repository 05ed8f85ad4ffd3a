// What tasks store to all ranks stays at home; the engine sends pieces to the others, and tells of all pieces that lie beside each other at once.
// RUN: split-file %s %t
// DEFINE: %{gather} = tilec %examples/05_matmul_all_scatter/matmul_all_scatter.mlir --world 4 --target sm_90a --pattern sequential-copy-engine
// RUN: %{gather} --extent M=8192,N=7168,K=8192 --until=send | FileCheck %s --implicit-check-not=" to %peer :" --implicit-check-not=done
// RUN: %{gather} --until=send | FileCheck %s --check-prefix=ANY
// RUN: %{gather} --until=send --granularity group-2 | FileCheck %s --check-prefix=GIVEN
// In a world of one there is nobody to send to.
// RUN: tilec %examples/05_matmul_all_scatter/matmul_all_scatter.mlir --world 1 --target sm_90a --pattern sequential-copy-engine --until=send | FileCheck %s --check-prefix=ALONE --implicit-check-not=engine}
// ALONE: tile.role @multiply
// Several windows of few columns make a piece, and pieces are larger where the engine would be asked for too many: it takes 960 requests of a launch.
// RUN: %{gather} --extent M=8192,N=1024,K=8192 --until=send | FileCheck %s --check-prefix=WINDOWS
// WINDOWS: tile.signals [4, 1] counted : <2>
// WINDOWS: tile.move {{.*}} tile [2048, 1024] parts
// WINDOWS: tile.forall (%m, %n) in [64, {{[0-9]+}}] order [#tile.grouped<4>]
// RUN: %{gather} --extent M=32768,N=8192,K=8192 --until=send | FileCheck %s --check-prefix=LARGE
// LARGE: tile.signals [16, 2] counted : <2>
// A sum's owner sends what it has added to all ranks, too, behind what it sent to be added.
// RUN: tilec %source/bench/gpu/matmul_all_reduce.mlir --world 4 --target sm_90a --pattern sequential-copy-engine-two-shot --extent M=2048,N=7168,K=1024 --until=send | FileCheck %s --check-prefix=SHOTS
// Tiles of one dimension, whose tasks compute.
// RUN: tilec %t/row.mlir --world 3 --target sm_90a --until=send | FileCheck %s --check-prefix=ROW

// CHECK: %[[STORED:.*]] = tile.signals [4, 7] counted : <2>
// CHECK: %[[ARRIVED:.*]] = tile.signals [4, 4, 1] : <3>
// CHECK: tile.kernel @matmul_all_scatter_copies attributes {engine, waves = 1 : i64}
// CHECK: tile.forall (%m) in [4] {
// CHECK: %[[NONE:.*]] = tile.join()
// CHECK: scf.for %n = {{.*}} iter_args(%[[BEFORE:.*]] = %[[NONE]]) -> (!tile.token) {
// CHECK: %[[MADE:.*]] = tile.take_counted %[[STORED]][%m, %n] of
// CHECK: %[[PLACE:.*]] = memref.subview %c[0, %{{.*}}] [8192, 7168]
// CHECK: %[[SENT:.*]] = scf.for %ahead = {{.*}} iter_args(%[[SO_FAR:.*]] = %[[BEFORE]]) -> (!tile.token) {
// CHECK: %peer = arith.remui
// CHECK: %[[MOVED:.*]] = tile.move %[[PLACE]] -> %[[PLACE]][%m, %n] tile [2048, 1024] parts %{{.*}} to %peer after %[[MADE]]
// CHECK: tile.join(%[[SO_FAR]], %[[MOVED]])
// CHECK: %is_last = arith.cmpi eq
// CHECK: scf.if %is_last {
// CHECK: tile.signal  system by  wave %[[ARRIVED]][%rank, %m, %{{.*}}] to %peer publishes %[[SENT]]
// CHECK: tile.forall (%m, %n) in [64, 28] order [#tile.grouped<16>]
// CHECK: %[[TILE:.*]] = tile.store %{{.*}}, %{{.*}} [%m, %n] after
// CHECK: tile.signal  system %[[STORED]][%piece, %{{.*}}] to %rank publishes %[[TILE]]
// CHECK: tile.role @leave last
// CHECK: scf.for %source
// CHECK: %is_other = arith.cmpi ne, %source, %rank
// CHECK: tile.wait  system %[[ARRIVED]][%source, %{{.*}}, %{{.*}}] count[%{{.*}}, %{{.*}}, %{{.*}}] {tile.comment = "sent by the copy engine"}
// Who has heard of all others need not tell them that it is done.

// Without columns nobody tells, and nobody waits.
// ANY: tile.signals [(%M ceildiv 128) ceildiv 16, (%N ceildiv 256) ceildiv 4] counted
// ANY: tile.signals [4, (%M ceildiv 128) ceildiv 16, 1]
// ANY: tile.role @leave last
// ANY: %[[COLUMNS:.*]] = tile.extent [(%N ceildiv 256) ceildiv 4]
// ANY: %[[ANY:.*]] = arith.minsi %[[COLUMNS]]
// ANY: tile.wait  system %send_arrived[%source, %{{.*}}, %{{.*}}] count[%{{.*}}, %{{.*}}, %[[ANY]]]
// GIVEN: tile.signals [(%M ceildiv 128) ceildiv 16, (%N ceildiv 256) ceildiv 2] counted

// SHOTS: tile.role @send on 1 workgroups attributes {engine}
// SHOTS: tile.take_counted %[[PARTS:.*]][%peer, %m, %n]
// SHOTS: tile.role @send_2 on 1 workgroups attributes {engine}
// SHOTS: tile.take_counted %[[SUMS:.*]][%m, %n]
// SHOTS: } else {
// SHOTS: tile.signal  system %[[SUMS]][%piece, %{{.*}}] to %rank

// ROW: tile.signals [(%M ceildiv 4096) ceildiv 64] counted : <1>
// ROW: tile.signals [3, (%M ceildiv 4096) ceildiv 64] : <2>
// ROW: tile.forall (%i) in [(%M ceildiv 4096) ceildiv 64]
// ROW: %[[MADE:.*]] = tile.take_counted
// ROW: tile.move %{{.*}}[%i] tile [262144] parts %{{.*}} to %peer after %[[MADE]]
// ROW: tile.signal  system by  wave %{{.*}}[%rank, %i] to %peer

//--- row.mlir
tile.program @row<%M>(%a: memref<?xf32>, %c: memref<?xf32, #tile.symmetric>) extents [%a: %M] [%c: W * %M] attributes {pattern = #tile.pattern<sequential, copy_engine>} {
  %x = tile.alloc [%M] : memref<?xf32, #tile.symmetric>
  tile.forall (%i) in [%M ceildiv 4096] {
    %t = tile.load %a[%i] tile [4096] : memref<?xf32> -> tensor<4096xf32>
    %u = arith.addf %t, %t : tensor<4096xf32>
    tile.store %u, %x[%i] : tensor<4096xf32>, memref<?xf32, #tile.symmetric>
  }
  tile.all_gather %x into %c dim 0 tiles [4096] : memref<?xf32, #tile.symmetric>, memref<?xf32, #tile.symmetric>
}
