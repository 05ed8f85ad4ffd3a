// RUN: tilec run %s --launches 3 --shuffle

// A grid of signals that the sides of a branch use, the else as well as the then.
tile.program @waits_in_the_else(%a: memref<64xf32>, %b: memref<64xf32>) world 2 extents [%a: 64] [%b: 64] {
  %s = tile.signals [1] : !tile.signals<1>
  %t = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  %first = arith.cmpi eq, %rank, %zero : index
  tile.kernel @k {
    tile.role @send first {
      tile.signal system %s[%zero] to %peer : !tile.signals<1>
      tile.signal system %t[%zero] to %peer : !tile.signals<1>
    }
    tile.role @receive {
      scf.if %first {
        %w = tile.wait system %t[%zero] : !tile.signals<1>
      } else {
        %w = tile.wait system %s[%zero] : !tile.signals<1>
      }
      scf.if %first {
        %w = tile.wait system %s[%zero] : !tile.signals<1>
      } else {
        scf.if %first {
        } else {
          %w = tile.wait system %t[%zero] : !tile.signals<1>
        }
      }
      tile.forall (%i) in [1] {
        %x = tile.load %a[%i] tile [64] : memref<64xf32> -> tensor<64xf32>
        tile.store %x, %b[%i] : tensor<64xf32>, memref<64xf32>
      }
    }
  }
}
