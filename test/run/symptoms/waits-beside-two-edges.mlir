// RUN: tilec verify %s --world 2 --pattern sequential-push
// RUN: tilec run %s --world 2 --pattern sequential-push --extents-from 40,72,1 --launches 4 --shuffle --seeds 2 --memory weak

// A task that reads beside its buffer in two dimensions waits for a box whose sizes are both below zero: their product
// made words of it that nothing raises.
tile.program @beside<%M, %N>(%x: memref<?x?xf32>, %out: memref<192x192xf32>) extents [%x: %M, %N] [%out: 192, 192] {
  %s = tile.alloc [W, %M, %N] : memref<?x?x?xf32, #tile.symmetric>
  %rank = tile.rank
  tile.forall (%p, %m, %n) in [W, %M ceildiv 16, %N ceildiv 16] {
    %t = tile.load %x[%m, %n] tile [16, 16] : memref<?x?xf32> -> tensor<16x16xf32>
    tile.store %t, %s[%rank, %m, %n] to %p : tensor<16x16xf32>, memref<?x?x?xf32, #tile.symmetric>
  }
  tile.forall (%m, %n) in [3, 3] {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %row = arith.muli %m, %c64 : index
    %column = arith.muli %n, %c64 : index
    %t = tile.load %s at (%c0, %row, %column) tile [64, 64] : memref<?x?x?xf32, #tile.symmetric> -> tensor<64x64xf32>
    tile.store %t, %out[%m, %n] : tensor<64x64xf32>, memref<192x192xf32>
  }
}
