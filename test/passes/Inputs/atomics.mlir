// Atomics on a peer's copy and on the own one.
tile.program @atom(%a: memref<64xi32, #tile.symmetric>) world 2 extents [%a: 64] {
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.forall (%i) in [1] {
    %t = tile.splat 1 [64] : tensor<64xi32>
    tile.atomic add %t, %a[%i] on %peer : tensor<64xi32>, memref<64xi32, #tile.symmetric>
    tile.atomic add %t, %a[%i] : tensor<64xi32>, memref<64xi32, #tile.symmetric>
  }
}
