// RUN: tilec run %s --race --memory weak --shuffle --launches 3

// The ranks add to each other in one kernel and to their own copy in the next, with nothing between: both additions are
// of scope system, or a rank does not see the other in time.
tile.program @added_in_two_kernels(%a: memref<64xi32, #tile.symmetric>, %b: memref<64xi32>) world 2 extents [%a: 64] [%b: 64] {
  %s = tile.alloc persistent [64] : memref<64xi32, #tile.symmetric>
  %ent = tile.signals [1] : !tile.signals<1>
  %don = tile.signals [1] : !tile.signals<1>
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.kernel @k1 {
    tile.role @e first {
      tile.signal system %ent[%z] to %peer : !tile.signals<1>
    }
    tile.role @w {
      tile.forall (%i) in [1] {
        %w = tile.wait system %ent[%i] : !tile.signals<1>
        %t = tile.splat 1 [64] : tensor<64xi32>
        %st = tile.atomic add %t, %a[%i] on %peer after %w : tensor<64xi32>, memref<64xi32, #tile.symmetric> -> !tile.token
        tile.signal system %don[%i] to %peer publishes %st : !tile.signals<1>
      }
    }
  }
  tile.kernel @k2 {
    tile.role @r {
      tile.forall (%i) in [1] {
        %t = tile.splat 1 [64] : tensor<64xi32>
        tile.atomic add %t, %a[%i] : tensor<64xi32>, memref<64xi32, #tile.symmetric>
      }
    }
    tile.role @l last {
      %w = tile.wait system %don[%z] : !tile.signals<1>
    }
  }
}
