// RUN: tilec verify %s --world 1
// RUN: tilec run %s --world 1 --shuffle --seed 1
// RUN: tilec run %s --world 1 --shuffle --seeds 3 --race --memory weak

// Eight elements on many threads: each thread loads its one, the first that holds it stores it, and the others loaded
// what that had stored already, or in the next pass had not yet.
tile.program @few(%b: memref<64xf32>) extents [%b: 64] {
  tile.forall (%z) in [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %t = tile.load %b[%c0] tile [8] : memref<64xf32> -> tensor<8xf32>
      %u = arith.addf %t, %t : tensor<8xf32>
      tile.store %u, %b[%c0] : tensor<8xf32>, memref<64xf32>
    }
  }
}
