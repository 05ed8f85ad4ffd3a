// RUN: tilec verify %s --world 1
// RUN: tilec run %s --world 1 --shuffle --seed 1
// RUN: tilec run %s --world 1 --shuffle --seeds 3 --race --memory weak

// The same first tile of another view in each pass of the outer loop, with an offset that both loops and what they carry
// make: no barrier stood between two passes.
tile.program @views(%b: memref<4096xf32>) extents [%b: 4096] {
  tile.forall (%z) in [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %end = scf.for %i = %c0 to %c4 step %c1 iter_args(%from = %c0) -> (index) {
      %twice = arith.muli %from, %c2 : index
      scf.for %j = %c0 to %c2 step %c1 {
        %first = arith.addi %twice, %j : index
        %view = memref.subview %b[%first] [1024] [1] : memref<4096xf32> to memref<1024xf32, strided<[1], offset: ?>>
        %t = tile.load %view[%c0] tile [1024] : memref<1024xf32, strided<[1], offset: ?>> -> tensor<1024xf32>
        %u = arith.addf %t, %t : tensor<1024xf32>
        tile.store %u, %view[%c0] : tensor<1024xf32>, memref<1024xf32, strided<[1], offset: ?>>
      }
      %next = arith.addi %from, %c1 : index
      scf.yield %next : index
    }
  }
}
