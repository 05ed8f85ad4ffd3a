// RUN: tilec verify %s --world 1
// RUN: tilec run %s --world 1 --shuffle --seed 1
// RUN: tilec run %s --world 1 --shuffle --seeds 3 --race --memory weak

// A loop loads and stores tiles that lie one element further in each pass: what other threads stored in the pass before
// was loaded with no barrier between, since the values that name the place are the same in every pass.
tile.program @offsets(%b: memref<4096xf32>) extents [%b: 4096] {
  tile.forall (%z) in [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %t = tile.load %b at (%i) tile [1024] : memref<4096xf32> -> tensor<1024xf32>
      %u = arith.addf %t, %t : tensor<1024xf32>
      tile.store %u, %b at (%i) : tensor<1024xf32>, memref<4096xf32>
    }
  }
}
