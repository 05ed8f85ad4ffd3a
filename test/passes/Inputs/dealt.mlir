// Every task waits for the first, and all are dealt out by number.
tile.program @dealt(%a: memref<256xf32>, %b: memref<256xf32>) world 1 extents [%a: 256] [%b: 256] {
  %ready = tile.signals [4] : !tile.signals<1>
  %z = arith.constant 0 : index
  tile.kernel @k attributes {dealing = #tile<dealing strided>} {
    tile.role @pass {
      tile.forall (%i) in [4] {
        tile.signal agent %ready[%i] to %z : !tile.signals<1>
        %first = tile.wait agent %ready[%z] : !tile.signals<1>
        %t = tile.load %a[%i] tile [64] : memref<256xf32> -> tensor<64xf32>
        tile.store %t, %b[%i] after %first : tensor<64xf32>, memref<256xf32>
      }
    }
  }
}
