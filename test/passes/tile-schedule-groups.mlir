// RUN: tilec %source/examples/04_all_gather_matmul/all_gather_matmul.mlir --world 2 --pattern specialized-push --granularity tile --param BM=64,BN=64,BK=32 --target gfx942 --until=schedule | FileCheck %s --check-prefixes=CHECK,FOUR
// RUN: tilec %source/examples/04_all_gather_matmul/all_gather_matmul.mlir --world 2 --pattern specialized-push --granularity tile --param BM=64,BN=64,BK=64 --target gfx942 --until=schedule | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: tilec %source/examples/04_all_gather_matmul/all_gather_matmul.mlir --world 2 --pattern specialized-push --granularity tile --param BM=64,BN=64,BK=64 --target gfx942 -o %t

// Waits stand between groups of 4 steps, or of 2, fewer than the copies are ahead: then the slots are filled from several groups.
// CHECK-LABEL: tile.role @multiply
// CHECK: %[[WHOLE:.*]] = arith.select %{{.*}} : index
// CHECK: scf.if
// CHECK: %[[LAST:.*]] = arith.subi %[[WHOLE]]
// CHECK: %[[GROUPS:.*]] = arith.ceildivsi %[[WHOLE]], %{{.*}} : index
// TWO: %[[FIRST:.*]] = arith.minsi %[[GROUPS]], %{{.*}} : index
// TWO: %[[ARRIVED:.*]] = scf.for %[[G:.*]] = %{{.*}} to %[[FIRST]] {{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}})
// TWO: arith.muli %[[G]]
// FOUR: %[[ARRIVED:.*]] = scf.for %source
// CHECK: tile.wait
// TWO: tile.join(%[[BEFORE]],
// CHECK: tile.fetch %full[%{{.*}}] after %[[ARRIVED]]
// CHECK: tile.fetch %b[%{{.*}}] :
// FOUR: scf.for %[[GROUP:.*]] = %{{.*}} to %[[GROUPS]] step %{{.*}} iter_args({{.*}}, %[[BEGIN:.*]] = %{{.*}}, %[[TOKEN:.*]] = %[[ARRIVED]])
// TWO: %[[BEGUN:.*]] = arith.subi %[[FIRST]]
// TWO: scf.for %[[GROUP:.*]] = %[[BEGUN]] to %[[GROUPS]] step %{{.*}} iter_args({{.*}}, %[[BEGIN:.*]] = %{{.*}}, %[[TOKEN:.*]] = %[[ARRIVED]])
// CHECK: %[[FOLLOWING:.*]] = arith.addi %[[GROUP]]
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[FOLLOWING]], %[[GROUPS]]
// Copies are 3 steps ahead, 4 with as many slots as there are.
// CHECK: %[[ROUND:.*]] = arith.subi %{{.*}}, %c4
// CHECK: %[[END:.*]] = arith.select %[[MORE]], %[[ROUND]], %[[WHOLE]]
// CHECK: %[[LEFT:.*]]:5 = tile.steps from %[[BEGIN]] to %[[END]] slots 2
// CHECK: tile.fetch %full[%{{.*}}] after %[[TOKEN]]
// CHECK: %[[NEXT:.*]] = scf.if %[[MORE]]
// CHECK: tile.wait
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[TOKEN]]
// CHECK: scf.yield %[[LEFT]]#0, {{.*}}, %[[END]], %[[NEXT]]
// The rest begins in a group that has been awaited, or waits for its own.
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to {{.*}} iter_args(%{{.*}} = %[[SUM:.*]]#0, %{{.*}} = %[[SUM]]#1)
// CHECK: tile.wait
// CHECK: } {tile.rest}
