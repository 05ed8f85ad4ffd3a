// RUN: tilec verify %s --world 1
// RUN: tilec run %s --world 1 --shuffle --seeds 3
// RUN: tilec run %s --world 1 --shuffle --seeds 3 --race --memory weak

// The second store covers a part of the first by other threads: the first came later for some of them.
tile.program @twice(%a: memref<4096xf32>, %b: memref<4096xf32>) extents [%a: 4096] [%b: 4096] {
  tile.forall (%z) in [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = tile.load %a at (%c0) tile [1024] : memref<4096xf32> -> tensor<1024xf32>
    %u = tile.load %a at (%c1) tile [1024] : memref<4096xf32> -> tensor<1024xf32>
    tile.store %t, %b at (%c0) : tensor<1024xf32>, memref<4096xf32>
    tile.store %u, %b at (%c1) : tensor<1024xf32>, memref<4096xf32>
  }
}
