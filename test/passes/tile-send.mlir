// Parts of sums stay at home, in the shape of the slots that they are for; the engine takes what tasks have counted, and owners wait for pieces.
// DEFINE: %{scatter} = tilec %source/bench/gpu/matmul_scatter.mlir --world 4 --target sm_90a --pattern sequential-copy-engine
// RUN: %{scatter} --extent M=2048,N=8192,K=7168 --until=send | FileCheck %s --implicit-check-not=multiply_arrived
// RUN: %{scatter} --until=send | FileCheck %s --check-prefix=ANY
// RUN: %{scatter} --until=send --granularity group-2 | FileCheck %s --check-prefix=GIVEN
// In a world of one there is nobody to send to.
// RUN: tilec %source/bench/gpu/matmul_scatter.mlir --world 1 --target sm_90a --pattern sequential-copy-engine --until=send | FileCheck %s --check-prefix=ALONE
// RUN: tilec %source/bench/gpu/matmul_scatter.mlir --world 4 --target sm_90a --pattern sequential-copy-engine --extent M=1024,N=2560,K=1024 --emit=hip | FileCheck %s --check-prefix=ROUNDS
// 80 tasks for each rank are three rounds on 132 units, and four on 80.
// ROUNDS: {{^ *}}arguments->workgroups, 384,
// ALONE-NOT: engine}
// In other patterns tasks store to their peers.
// RUN: tilec %source/bench/gpu/matmul_scatter.mlir --world 4 --target sm_90a --pattern sequential-push --until=send | FileCheck %s --check-prefix=PUSH
// PUSH-NOT: engine}
// PUSH: to %shard publishes

// CHECK: %[[HOME:.*]] = tile.alloc [4, 16, 32, 32768] : memref<4x16x32x32768xbf16>
// CHECK: %[[SLOTS:.*]] = tile.alloc [4, 16, 32, 32768] : memref<4x16x32x32768xbf16, #tile.symmetric>
// CHECK: %[[STORED:.*]] = tile.signals [4, 1, 4] counted : <3>
// CHECK: %[[ARRIVED:.*]] = tile.signals [4, 1, 4] : <3>
// CHECK: tile.kernel @matmul_scatter_copies attributes {engine, waves = 1 : i64}
// CHECK: tile.forall (%[[PEER:.*]], %[[I:.*]], %[[J:.*]]) in [4, 1, 4] order [#tile.rank_first<0, ahead = 1>]
// CHECK: %[[OTHER:.*]] = arith.cmpi ne, %[[PEER]], %rank
// CHECK: scf.if %[[OTHER]]
// CHECK: %[[ROWS:.*]] = arith.constant 16
// CHECK: %[[COLUMNS:.*]] = arith.constant 8
// CHECK: %[[TASKS:.*]] = arith.muli %[[ROWS]], %[[COLUMNS]]
// CHECK: %[[CAME:.*]] = tile.take_counted %[[STORED]][%[[PEER]], %[[I]], %[[J]]] of %[[TASKS]]
// CHECK: %[[FROM:.*]] = memref.subview %[[HOME]][%[[PEER]], 0, 0, 0]
// CHECK: %[[INTO:.*]] = memref.subview %[[SLOTS]][%rank, 0, 0, 0]
// CHECK: %[[MOVED:.*]] = tile.move %[[FROM]] -> %[[INTO]][%[[I]], %[[J]], %{{.*}}] tile [16, 8, 32768] parts %{{.*}} to %[[PEER]] after %[[CAME]]
// CHECK: tile.signal  system by  wave %[[ARRIVED]][%rank, %[[I]], %[[J]]] to %[[PEER]] publishes %[[MOVED]]
// Four rounds for each rank, of as many rounds as 132 units take.
// CHECK: tile.kernel @matmul_scatter attributes {most_workgroups = 128 : i64
// CHECK: tile.forall (%[[SHARD:.*]], %[[M:.*]], %[[N:.*]]) in [4, 16, 32]
// CHECK: %[[TASK:.*]] = tile.store %{{.*}}, %{{.*}} [%[[M]], %[[N]], %{{.*}}] after
// CHECK: %[[ROW:.*]] = arith.divsi %[[M]]
// CHECK: %[[COLUMN:.*]] = arith.divsi %[[N]]
// CHECK: tile.signal  system %[[STORED]][%[[SHARD]], %[[ROW]], %[[COLUMN]]] to %rank publishes %[[TASK]]
// CHECK: tile.wait  system %[[ARRIVED]][%{{.*}}, %{{.*}}, %{{.*}}]
// CHECK: tile.load {{.*}} after

// ANY: tile.signals [4, (%M ceildiv 128) ceildiv 16, (%N ceildiv 256) ceildiv 8] counted
// ANY: %[[ALL:.*]] = tile.extent [%M ceildiv 128]
// ANY: %[[LEFT:.*]] = arith.subi %[[ALL]]
// ANY: arith.minsi %[[LEFT]]
// ANY: tile.take_counted
// ANY: memref.subview %outbox[%peer, 0, 0, 0] [1, %[[ALL]],
// GIVEN: tile.signals [4, (%M ceildiv 128) ceildiv 16, (%N ceildiv 256) ceildiv 2] counted
