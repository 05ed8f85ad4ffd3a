// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1},tile-choose{pattern=sequential granularity=task order=remap},tile-expand,tile-fuse,tile-waits,tile-order))' | FileCheck %s --check-prefix=REMAP
// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1},tile-choose{pattern=sequential granularity=task order=chunked-8},tile-expand,tile-fuse,tile-waits,tile-order))' | FileCheck %s --check-prefix=CHUNKED
// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1},tile-choose{pattern=sequential granularity=task order=grouped-4},tile-expand,tile-fuse,tile-waits,tile-order))' | FileCheck %s --check-prefix=GROUPED
// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1},tile-choose{pattern=sequential granularity=task order=diagonal},tile-expand,tile-fuse,tile-waits,tile-order))' | FileCheck %s --check-prefix=DIAGONAL
// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1},tile-choose{pattern=sequential granularity=task order=chunked+diagonal},tile-expand,tile-fuse,tile-waits,tile-order))' | FileCheck %s --check-prefix=DIAGONAL

// Steps stay in their order, since a task waits for those of the step before: what changes is the order inside of a step.
// REMAP: tile.forall (%s, %i) in {{.*}} order []
// REMAP: tile.forall (%s, %i, %j) in {{.*}} order []
// CHUNKED: tile.forall (%s, %i) in {{.*}} order []
// CHUNKED: tile.forall (%s, %i, %j) in {{.*}} order []
// GROUPED: tile.forall (%s, %i) in {{.*}} order []
// GROUPED: tile.forall (%s, %i, %j) in {{.*}} order [#tile.grouped<4>]
// DIAGONAL: tile.forall (%s, %i) in {{.*}} order []
// DIAGONAL: tile.forall (%s, %i, %j) in {{.*}} order [#tile.diagonal]
tile.program @steps<%M, %N, %T>(%u: memref<2x?xf32>, %v: memref<?x?xf32>) extents [%u: 2, %N] [%v: %M, %N] {
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
  }
  scf.for %s = %c0 to %T step %c1 {
    tile.forall (%i, %j) in [%M ceildiv 16, %N ceildiv 64] {
      %t = tile.load %v[%i, %j] tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
      %d = arith.addf %t, %t : tensor<16x64xf32>
      tile.store %d, %v[%i, %j] : tensor<16x64xf32>, memref<?x?xf32>
    }
  }
}
