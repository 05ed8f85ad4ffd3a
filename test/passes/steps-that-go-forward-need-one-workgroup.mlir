// RUN: tilec verify %s --world 2 | FileCheck %s
// RUN: tilec run %s --world 2 --units 1 --resident 1 --launches 2

// Two statements in a step of which the first never waits for the second: one resident workgroup takes all steps of the first, then those of the second.
// CHECK: kernel @fwd_2: progress any
tile.program @fwd<%M, %T>(%x: memref<?xf32>, %u: memref<?x?xf32>, %v: memref<?x?xf32>) extents [%x: %M] [%u: %T + 1, %M] [%v: %T + 1, %M] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.forall (%i) in [%M ceildiv 64] {
    %t = tile.load %x[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %u[%c0, %i] : tensor<64xf32>, memref<?x?xf32>
    tile.store %t, %v[%c0, %i] : tensor<64xf32>, memref<?x?xf32>
  }
  scf.for %s = %c0 to %T step %c1 {
    %after = arith.addi %s, %c1 : index
    tile.forall (%i) in [%M ceildiv 64] {
      %t = tile.load %u[%s, %i] tile [64] : memref<?x?xf32> -> tensor<64xf32>
      %d = arith.addf %t, %t : tensor<64xf32>
      tile.store %d, %u[%after, %i] : tensor<64xf32>, memref<?x?xf32>
    }
    tile.forall (%i) in [%M ceildiv 64] {
      %t = tile.load %u[%after, %i] tile [64] : memref<?x?xf32> -> tensor<64xf32>
      %w = tile.load %v[%s, %i] tile [64] : memref<?x?xf32> -> tensor<64xf32>
      %d = arith.addf %t, %w : tensor<64xf32>
      tile.store %d, %v[%after, %i] : tensor<64xf32>, memref<?x?xf32>
    }
  }
}
