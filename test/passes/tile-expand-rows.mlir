// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=sequential-pull granularity=task},tile-expand))' | FileCheck %s

// A tile without a row in use has no steps. The others are stored row by row, where a store would have put them.
// CHECK-LABEL: @side_by_side
// CHECK: tile.forall (%matrix, %m, %n) in [%E, %M ceildiv 64, %N ceildiv 32]
// CHECK: %count = tile.read %rows[%matrix] upto %M : memref<?xi32>
// CHECK: %[[BEFORE:.*]] = arith.muli %m, %{{.*}} : index
// CHECK: %left = arith.subi %count, %[[BEFORE]] : index
// CHECK: %[[ANY:.*]] = arith.cmpi sgt, %left, %{{.*}} : index
// CHECK: %[[STEPS:.*]] = arith.select %[[ANY]], %{{.*}}, %{{.*}} : index
// CHECK: scf.for %k = %{{.*}} to %[[STEPS]]
// CHECK: %[[OUT:.*]] = arith.truncf
// CHECK: %[[NUMBER:.*]] = tile.iota dim 0 tile [64] : tensor<64xi32>
// CHECK: %first = arith.muli %m, %{{.*}} : index
// CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %[[NUMBER]] : tensor<64xi32>
// CHECK: %[[USED:.*]] = arith.cmpi slt, %[[NUMBER]], %{{.*}} : tensor<64xi32>
// CHECK: %row = arith.select %[[USED]], %[[ROW]], %{{.*}} : tensor<64xi1>, tensor<64xi32>
// CHECK: tile.scatter %[[OUT]], %c{{ ?}}[%matrix, each %row, %n]
tile.program @side_by_side<%E, %M, %N, %K>(%rows: memref<?xi32>, %a: memref<?x?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?x?xbf16>)
    extents [%rows: %E] [%a: %E, %M, %K] [%b: %K, %N] [%c: %E, %M, %N] {
  tile.matmul %a, %b into %c rows %rows : memref<?xi32> tiles [64, 32, 32] : memref<?x?x?xbf16>, memref<?x?xbf16>, memref<?x?x?xbf16>
}

// -----

// Rows that are gathered by pull lie in the shard of a rank: its first row counts.
// CHECK-LABEL: @sharded
// CHECK: tile.forall (%shard, %m, %n) in [3, %M ceildiv 64, %N ceildiv 32]
// CHECK: %[[BASE:.*]] = arith.muli %shard, %M : index
// CHECK: %count = tile.read %rows[%{{.*}}] upto %{{.*}} : memref<1xi32>
// CHECK: %[[OWN:.*]] = arith.muli %m, %{{.*}} : index
// CHECK: %[[BEFORE:.*]] = arith.addi %[[BASE]], %[[OWN]] : index
// CHECK: %left = arith.subi %count, %[[BEFORE]] : index
// CHECK: %[[VIEW:.*]] = memref.subview %c[%[[BASE]], 0] [%M, %N] [1, 1]
// CHECK: tile.scatter %{{.*}}, %[[VIEW]]{{ ?}}[each %row, %n]
tile.program @sharded<%M, %N, %K>(%rows: memref<1xi32>, %a: memref<?x?xbf16, #tile.symmetric>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: W * %M, %N] {
  %all = tile.alloc [W * %M, %K] : memref<?x?xbf16, #tile.symmetric>
  tile.all_gather %a into %all dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %all, transpose %b into %c rows %rows : memref<1xi32> tiles [64, 32, 32] : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xf32>
}
