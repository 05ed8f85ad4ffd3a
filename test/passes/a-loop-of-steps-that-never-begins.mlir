// RUN: for w in 1 2 3; do tilec run %s --world $w --extents-from 1,70 --launches 2 || exit 1; done
// RUN: tilec %s --world 1 --until=fuse | FileCheck %s

// A ring of one rank has no step between the second and the last: of a grid of -1 signals `waits` said that it expected 0 or more.
// CHECK: tile.program @ring_without_steps
// CHECK-NOT: scf.for
tile.program @ring_without_steps<%M>(%x: memref<?xf32>, %y: memref<?xf32>) extents [%x: %M] [%y: %M] {
  %u = tile.alloc [2, %M] : memref<2x?xf32, #tile.symmetric>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tile.extent [W - 1]
  %rank = tile.rank
  %world = tile.world_size
  %ahead = arith.addi %rank, %c1 : index
  %next = arith.remui %ahead, %world : index
  tile.forall (%b, %i) in [2, %M ceildiv 64] {
    %t = tile.load %x[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %u[%b, %i] : tensor<64xf32>, memref<2x?xf32, #tile.symmetric>
  }
  scf.for %s = %c1 to %n step %c1 {
    %now = arith.remui %s, %c2 : index
    %after = arith.addi %s, %c1 : index
    %then = arith.remui %after, %c2 : index
    tile.forall (%i) in [%M ceildiv 64] {
      %t = tile.load %u[%now, %i] tile [64] : memref<2x?xf32, #tile.symmetric> -> tensor<64xf32>
      %d = arith.addf %t, %t : tensor<64xf32>
      tile.store %d, %u[%then, %i] to %next : tensor<64xf32>, memref<2x?xf32, #tile.symmetric>
    }
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %t = tile.load %u[%c0, %i] tile [64] : memref<2x?xf32, #tile.symmetric> -> tensor<64xf32>
    tile.store %t, %y[%i] : tensor<64xf32>, memref<?xf32>
  }
}
