// RUN: tilec verify %s --world 2 2>&1 | FileCheck %s --implicit-check-not=alone

// Extents that no access of the scratch depends on counted among the twelve variables that were enough for none: the program had limits.
// CHECK: progress any
tile.program @twelve<%E0, %E1, %E2, %E3, %E4, %E5, %E6, %E7, %E8, %E9, %E10, %E11>(%a: memref<?x?xf32, #tile.symmetric>, %o: memref<?x?xf32>, %a2: memref<?xf32>, %a3: memref<?xf32>, %a4: memref<?xf32>, %a5: memref<?xf32>, %a6: memref<?xf32>, %a7: memref<?xf32>, %a8: memref<?xf32>, %a9: memref<?xf32>, %a10: memref<?xf32>, %a11: memref<?xf32>) extents [%a: %E0, %E1] [%o: %E0, %E1] [%a2: %E2] [%a3: %E3] [%a4: %E4] [%a5: %E5] [%a6: %E6] [%a7: %E7] [%a8: %E8] [%a9: %E9] [%a10: %E10] [%a11: %E11] {
  %s = tile.alloc [%E0, %E1] : memref<?x?xf32, #tile.symmetric>
  %rank = tile.rank
  %w = tile.world_size
  %c1 = arith.constant 1 : index
  %n1 = arith.addi %rank, %c1 : index
  %next = arith.remui %n1, %w : index
  tile.forall (%i, %j) in [%E0 ceildiv 16, %E1 ceildiv 16] {
    %v = tile.load %a[%i, %j] tile [16, 16] : memref<?x?xf32, #tile.symmetric> -> tensor<16x16xf32>
    tile.store %v, %s[%i, %j] : tensor<16x16xf32>, memref<?x?xf32, #tile.symmetric>
  }
  tile.forall (%i, %j) in [%E0 ceildiv 32, %E1 ceildiv 8] {
    %v = tile.load %s[%i, %j] tile [32, 8] from %next : memref<?x?xf32, #tile.symmetric> -> tensor<32x8xf32>
    tile.store %v, %o[%i, %j] : tensor<32x8xf32>, memref<?x?xf32>
  }
}
