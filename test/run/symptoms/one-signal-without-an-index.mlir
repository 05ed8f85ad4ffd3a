// RUN: tilec verify %s
// RUN: tilec run %s --launches 3 --shuffle

// A grid of signals without a dimension is one signal.
tile.program @one_signal(%a: memref<64xf32>, %b: memref<64xf32>) world 2 extents [%a: 64] [%b: 64] {
  %inbox = tile.alloc [64] {copies = 2} : memref<64xf32, #tile.symmetric>
  %sent = tile.signals [] : !tile.signals<0>
  %taken = tile.signals [] : !tile.signals<0>
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.kernel @k {
    tile.role @send {
      tile.forall (%i) in [1] {
        %free = tile.wait system %taken[] lag 2 : !tile.signals<0>
        %t = tile.load %a[%i] tile [64] : memref<64xf32> -> tensor<64xf32>
        %stored = tile.store %t, %inbox[%i] to %peer after %free : tensor<64xf32>, memref<64xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[] to %peer publishes %stored : !tile.signals<0>
      }
    }
    tile.role @receive {
      tile.forall (%i) in [1] {
        %arrived = tile.wait system %sent[] : !tile.signals<0>
        %t = tile.load %inbox[%i] tile [64] after %arrived : memref<64xf32, #tile.symmetric> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<64xf32>
      }
    }
    tile.role @leave last {
      tile.signal system %taken[] to %peer : !tile.signals<0>
    }
  }
}
