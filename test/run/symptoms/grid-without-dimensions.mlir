// RUN: tilec run %s --world 1
// RUN: tilec run %s --world 3 --pattern sequential --race
// RUN: tilec run %s --world 2 --target sm_90a

// Loops of one task that have no dimension, beside one that has: the compiler crashed.
tile.program @grid_without_dimensions(%a: memref<64xf32>, %b: memref<64xf32, #tile.symmetric>, %c: memref<64xf32>) {
  tile.forall () in [] {
    %c0 = arith.constant 0 : index
    %x = tile.load %a[%c0] tile [64] : memref<64xf32> -> tensor<64xf32>
    tile.store %x, %b[%c0] : tensor<64xf32>, memref<64xf32, #tile.symmetric>
  }
  %rank = tile.rank
  %world = tile.world_size
  %one = arith.constant 1 : index
  %next = arith.addi %rank, %one : index
  %peer = arith.remui %next, %world : index
  tile.forall (%i) in [2] {
    %x = tile.load %b[%i] tile [32] from %peer : memref<64xf32, #tile.symmetric> -> tensor<32xf32>
    tile.store %x, %c[%i] : tensor<32xf32>, memref<64xf32>
  }
}
