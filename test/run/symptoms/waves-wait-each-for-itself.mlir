// RUN: tilec verify %s --world 1
// RUN: tilec run %s --world 1 --shuffle --seeds 3 --race --memory weak

// Each wave waits for itself and meets nobody: other threads loaded what had not been stored yet, as if they had met.
tile.program @waves(%a: memref<2048xf32>, %b: memref<2048xf32>) extents [%a: 2048] [%b: 2048] {
  %s = tile.signals [1] : !tile.signals<1>
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  tile.kernel @waves {
    tile.role @first first {
      tile.signal agent %s[%z] to %rank : !tile.signals<1>
    }
    tile.role @work {
      tile.forall (%m) in [1] {
        %t = tile.load %a at (%z) tile [1024] : memref<2048xf32> -> tensor<1024xf32>
        tile.store %t, %b at (%z) : tensor<1024xf32>, memref<2048xf32>
        %w = tile.wait agent by wave %s[%z] : !tile.signals<1>
        %u = tile.load %b at (%one) tile [1024] after %w : memref<2048xf32> -> tensor<1024xf32>
        tile.store %u, %a at (%one) : tensor<1024xf32>, memref<2048xf32>
      }
    }
  }
}
