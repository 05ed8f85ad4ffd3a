// Each of 64,000 signals was compared with what each of the others knows: minutes for a program of 12 lines.
// RUN: tilec verify %s --world 2 --extent M=8000 | FileCheck %s
// CHECK: verified on 2 ranks
tile.program @one_word<%M>(%a: memref<?x256xf32>, %b: memref<?x256xf32>) extents [%a: %M, 256] [%b: %M, 256] {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %rank = tile.rank
  tile.kernel @k {
    tile.role @copy {
      tile.forall (%m, %n) in [%M, 4] {
        %t = tile.load %a[%m, %n] tile [1, 64] : memref<?x256xf32> -> tensor<1x64xf32>
        %s = tile.store %t, %b[%m, %n] : tensor<1x64xf32>, memref<?x256xf32> -> !tile.token
        tile.signal agent %done[%zero] to %rank publishes %s : !tile.signals<1>
        %w = tile.wait agent %done[%zero] : !tile.signals<1>
      }
    }
  }
}
