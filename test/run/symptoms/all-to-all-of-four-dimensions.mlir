// An exchange of a buffer with four dimensions waits for a grid of five (the ranks in front): grids of signals had at most
// four, and the compiler aborted.
// RUN: tilec run %s --world 2
// RUN: tilec run %s --world 3 --pattern=sequential --memory weak --shuffle --launches 3

tile.program @exchanged(%y: memref<?x8x8x64xbf16>) extents [%y: W, 8, 8, 64] {
  %ht = tile.alloc [W, 8, 8, 64] : memref<?x8x8x64xbf16, #tile.symmetric>
  %th = tile.alloc [W, 8, 8, 64] : memref<?x8x8x64xbf16, #tile.symmetric>
  tile.forall (%w) in [W] {
    %c0 = arith.constant 0 : index
    %v = tile.splat 1.0 [8, 8, 64] : tensor<8x8x64xbf16>
    tile.store %v, %ht[%w, %c0, %c0, %c0] : tensor<8x8x64xbf16>, memref<?x8x8x64xbf16, #tile.symmetric>
  }
  tile.all_to_all %ht into %th dim 0 : memref<?x8x8x64xbf16, #tile.symmetric>, memref<?x8x8x64xbf16, #tile.symmetric>
  tile.forall (%w) in [W] {
    %c0 = arith.constant 0 : index
    %v = tile.load %th[%w, %c0, %c0, %c0] tile [8, 8, 64] : memref<?x8x8x64xbf16, #tile.symmetric> -> tensor<8x8x64xbf16>
    tile.store %v, %y[%w, %c0, %c0, %c0] : tensor<8x8x64xbf16>, memref<?x8x8x64xbf16>
  }
}
