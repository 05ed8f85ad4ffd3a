// RUN: tilec verify %s --world 2
// RUN: tilec verify %s --world 3
// RUN: tilec run %s --world 2 --extents-from 7,200,900 --launches 4 --race --memory weak --skewed --shuffle --seeds 2
// RUN: tilec run %s --world 3 --extent M=700,N=70 --launches 3 --race

// Rejected with 'may come before that rank has entered the launch': a task that reads what nobody writes waits for nothing, but its
// wait was taken for one that every rank satisfies. N elements of b are written, and M are read.
tile.program @beyond<%M, %N>(%a: memref<?xf32>, %b: memref<?xf32, #tile.symmetric>) extents [%a: %M] [%b: %N * 3 + 300] {
  %rank = tile.rank
  %world = tile.world_size
  tile.forall (%i) in [%N ceildiv 64] {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %ahead = arith.addi %rank, %c1 : index
    %next = arith.remui %ahead, %world : index
    %here = arith.muli %i, %c64 : index
    %t = tile.load %a at (%here) tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %b at (%here) to %next : tensor<64xf32>, memref<?xf32, #tile.symmetric>
  }
  tile.forall (%i) in [%M ceildiv 16] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %here = arith.muli %i, %c16 : index
    %t = tile.load %b at (%here) tile [16] from %c0 : memref<?xf32, #tile.symmetric> -> tensor<16xf32>
    tile.store %t, %a at (%here) : tensor<16xf32>, memref<?xf32>
  }
}
