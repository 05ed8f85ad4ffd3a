// RUN: tilec run %s --pattern bulk --race --memory weak --shuffle --launches 3

// Statements that become two kernels add to the copies of other ranks and to the own one.
tile.program @added_in_two_statements(%a: memref<64xi32, #tile.symmetric>, %c: memref<64x64xi32>) world 2 extents [%a: 64] [%c: 64, 64] {
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.forall (%i) in [1] {
    %t = tile.splat 1 [64] : tensor<64xi32>
    tile.atomic add %t, %a[%i] on %peer : tensor<64xi32>, memref<64xi32, #tile.symmetric>
  }
  tile.forall (%i) in [64] {
    %z = arith.constant 0 : index
    %t = tile.splat 1 [64] : tensor<64xi32>
    tile.atomic add %t, %a[%z] : tensor<64xi32>, memref<64xi32, #tile.symmetric>
  }
}
