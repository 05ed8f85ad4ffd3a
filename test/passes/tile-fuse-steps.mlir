// RUN: split-file %s %t
// RUN: tilec-opt %t/steps.mlir --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=sequential granularity=task},tile-expand,tile-fuse))' | FileCheck %s
// RUN: not tilec-opt %t/rank.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-expand,tile-fuse))' 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not tilec-opt %t/many.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-expand,tile-fuse))' 2>&1 | FileCheck %s --check-prefix=MANY

// Each statement of a loop has a role with the loop, from 0 in steps of 1; those of one loop share the number of steps. They run side by side: the last
// that computes has the workgroups that the others leave. What the loop computes, tasks compute.
// CHECK: tile.kernel @steps_1 {
// CHECK: %steps = tile.extent [%T - 1]
// CHECK: tile.kernel @steps_2 {
// CHECK-NEXT: tile.role @copy on 8 workgroups {
// CHECK-NEXT: scf.for %s = %{{.*}} to %steps step
// CHECK-NEXT: tile.forall (%i)
// CHECK: %[[S:.*]] = arith.addi %s, %c1
// CHECK: arith.remui %[[S]], %c2
// CHECK: tile.role @combine {
// CHECK-NEXT: scf.for %s{{.*}} = %{{.*}} to %steps step
// CHECK: tile.kernel @steps_3 {

// RANK: error: 'scf.for' op around statements has bounds that are no expressions over the extents, expected constants, extents or a 'tile.extent'
// MANY: error: 'scf.for' op goes around 9 statements, expected at most 8: they run side by side, each on workgroups of its own

//--- steps.mlir
tile.program @steps<%N, %T>(%u: memref<2x?xf32>, %v: memref<?xf32>) extents [%u: 2, %N] [%v: %N] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tile.forall (%i) in [%N ceildiv 64] {
    %t = tile.load %v[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %u[%c1, %i] : tensor<64xf32>, memref<2x?xf32>
  }
  scf.for %s = %c1 to %T step %c1 {
    %now = arith.remui %s, %c2 : index
    %after = arith.addi %s, %c1 : index
    %then = arith.remui %after, %c2 : index
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.load %u[%now, %i] tile [64] : memref<2x?xf32> -> tensor<64xf32>
      tile.store %t, %u[%then, %i] : tensor<64xf32>, memref<2x?xf32>
    }
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.load %u[%then, %i] tile [64] : memref<2x?xf32> -> tensor<64xf32>
      %d = arith.addf %t, %t : tensor<64xf32>
      tile.store %d, %v[%i] : tensor<64xf32>, memref<?xf32>
    }
  }
  tile.forall (%i) in [%N ceildiv 64] {
    %t = tile.load %v[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %u[%c0, %i] : tensor<64xf32>, memref<2x?xf32>
  }
}

//--- rank.mlir
tile.program @rank<%N>(%v: memref<?xf32>) extents [%v: %N] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rank = tile.rank
  scf.for %s = %c0 to %rank step %c1 {
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.splat 0.0 [64] : tensor<64xf32>
      tile.store %t, %v[%i] : tensor<64xf32>, memref<?xf32>
    }
  }
}

//--- many.mlir
tile.program @many<%N>(%v: memref<?xf32>) extents [%v: %N] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %s = %c0 to %c4 step %c1 {
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.splat 0.0 [64] : tensor<64xf32>
      tile.store %t, %v[%i] : tensor<64xf32>, memref<?xf32>
    }
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.splat 0.0 [64] : tensor<64xf32>
      tile.store %t, %v[%i] : tensor<64xf32>, memref<?xf32>
    }
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.splat 0.0 [64] : tensor<64xf32>
      tile.store %t, %v[%i] : tensor<64xf32>, memref<?xf32>
    }
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.splat 0.0 [64] : tensor<64xf32>
      tile.store %t, %v[%i] : tensor<64xf32>, memref<?xf32>
    }
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.splat 0.0 [64] : tensor<64xf32>
      tile.store %t, %v[%i] : tensor<64xf32>, memref<?xf32>
    }
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.splat 0.0 [64] : tensor<64xf32>
      tile.store %t, %v[%i] : tensor<64xf32>, memref<?xf32>
    }
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.splat 0.0 [64] : tensor<64xf32>
      tile.store %t, %v[%i] : tensor<64xf32>, memref<?xf32>
    }
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.splat 0.0 [64] : tensor<64xf32>
      tile.store %t, %v[%i] : tensor<64xf32>, memref<?xf32>
    }
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.splat 0.0 [64] : tensor<64xf32>
      tile.store %t, %v[%i] : tensor<64xf32>, memref<?xf32>
    }
  }
}
