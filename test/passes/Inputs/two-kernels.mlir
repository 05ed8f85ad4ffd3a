// What one kernel stores a peer loads in another.
tile.program @two(%a: memref<256xf32>, %b: memref<256xf32>) world 2 extents [%a: 256] [%b: 256] {
  %s = tile.alloc [256] {copies = 2} : memref<256xf32, #tile.symmetric>
  %g = tile.signals [4] : !tile.signals<1>
  %d = tile.signals [1] : !tile.signals<1>
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.kernel @k1 {
    tile.role @w {
      %f = tile.wait system %d[%z] lag 2 : !tile.signals<1>
      tile.forall (%i) in [4] {
        %t = tile.load %a[%i] tile [64] : memref<256xf32> -> tensor<64xf32>
        %st = tile.store %t, %s[%i] after %f : tensor<64xf32>, memref<256xf32, #tile.symmetric> -> !tile.token
        tile.signal system %g[%i] to %peer publishes %st : !tile.signals<1>
      }
    }
  }
  tile.kernel @k2 {
    tile.role @r {
      tile.forall (%i) in [4] {
        %w = tile.wait system %g[%i] : !tile.signals<1>
        %t = tile.load %s[%i] tile [64] from %peer after %w : memref<256xf32, #tile.symmetric> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<256xf32>
      }
    }
    tile.role @l last {
      tile.signal system %d[%z] to %peer : !tile.signals<1>
    }
  }
}
