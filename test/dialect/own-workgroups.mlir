// RUN: tilec-opt %s | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1}))' | FileCheck %s --check-prefix=MOST
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1 parameters=P=24}))' | FileCheck %s --check-prefix=GIVEN

// How many workgroups a statement has for itself may be a parameter.
// CHECK: tile.forall (%{{.*}}) in [%{{.*}} ceildiv 64] on @P workgroups {
// MOST: tile.forall (%{{.*}}) in [%{{.*}} ceildiv 64] on 32 workgroups {
// GIVEN: tile.forall (%{{.*}}) in [%{{.*}} ceildiv 64] on 24 workgroups {
tile.program @beside<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  tile.param @P in [16, 24, 32]
  tile.forall (%m) in [%M ceildiv 64] on @P workgroups {
    %t = tile.load %a[%m] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %b[%m] : tensor<64xf32>, memref<?xf32>
  }
}
