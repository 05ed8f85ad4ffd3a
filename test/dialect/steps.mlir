// RUN: tilec-opt %s --keep-names | tilec-opt --keep-names | FileCheck %s

// A loop around statements is an `scf.for`: what it computes, statements use.
// CHECK-LABEL: tile.program @steps
// CHECK: scf.for %[[S:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[NOW:.*]] = arith.remui %[[S]]
// CHECK: tile.forall
// CHECK: tile.load %{{.*}}[%[[NOW]], %{{.*}}]
// CHECK: tile.forall
tile.program @steps<%N, %T>(%u: memref<2x?xf32>, %v: memref<?xf32>) extents [%u: 2, %N] [%v: %N] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %s = %c0 to %T step %c1 {
    %now = arith.remui %s, %c2 : index
    %after = arith.addi %s, %c1 : index
    %then = arith.remui %after, %c2 : index
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.load %u[%now, %i] tile [64] : memref<2x?xf32> -> tensor<64xf32>
      tile.store %t, %u[%then, %i] : tensor<64xf32>, memref<2x?xf32>
    }
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.load %u[%then, %i] tile [64] : memref<2x?xf32> -> tensor<64xf32>
      tile.store %t, %v[%i] : tensor<64xf32>, memref<?xf32>
    }
  }
}
