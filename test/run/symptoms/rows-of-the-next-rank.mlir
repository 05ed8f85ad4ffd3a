// A rank reads of the next one the row of its own number, and then writes that row of its own, which is another one than was read there. What a statement has written over may be left
// out of later waits; a place that depends on the rank is not the same where a task of another rank names it.
// RUN: for p in sequential specialized; do tilec verify %s --world 3 --pattern $p || exit 1; done | FileCheck %s
// RUN: tilec run %s --world 3 --extent M=200 --race --memory weak --shuffle --skewed --launches 3
// CHECK-COUNT-2: verified on 3 ranks
tile.program @rows<%M>(%x: memref<?x?xf32, #tile.symmetric>, %y: memref<?xf32>) extents [%x: W, %M] [%y: %M] {
  %rank = tile.rank
  %world = tile.world_size
  %one = arith.constant 1 : index
  %following = arith.addi %rank, %one : index
  %next = arith.remui %following, %world : index
  %around = arith.addi %rank, %world : index
  %preceding = arith.subi %around, %one : index
  %before = arith.remui %preceding, %world : index
  tile.forall (%i) in [%M ceildiv 64] {
    %t = tile.load %x[%rank, %i] tile [64] from %next : memref<?x?xf32, #tile.symmetric> -> tensor<64xf32>
    tile.store %t, %y[%i] : tensor<64xf32>, memref<?xf32>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %t = tile.splat 1.0 [64] : tensor<64xf32>
    tile.store %t, %x[%rank, %i] : tensor<64xf32>, memref<?x?xf32, #tile.symmetric>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %t = tile.splat 2.0 [64] : tensor<64xf32>
    tile.store %t, %x[%before, %i] : tensor<64xf32>, memref<?x?xf32, #tile.symmetric>
  }
}
