// RUN: not tilec verify %s 2>&1 | FileCheck %s
// RUN: not tilec %s -o %t 2>&1 | FileCheck %s
// CHECK: error: raises index 1 in dimension 0 of a grid of size 1, in task (1) of role @send on rank 0
// CHECK: note: the grid is declared here

// `verify` accepted, compiling refused: the samples of the one had a single tile, those of the other more.
tile.program @t<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 2 extents [%a: %M] [%b: %M] {
  %inbox = tile.alloc [%M] {copies = 2} : memref<?xf32, #tile.symmetric>
  %sent = tile.signals [1] : !tile.signals<1>
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.kernel @k {
    tile.role @send {
      tile.forall (%i) in [%M ceildiv 256] {
        %t = tile.load %a[%i] tile [256] : memref<?xf32> -> tensor<256xf32>
        %stored = tile.store %t, %inbox[%i] to %peer : tensor<256xf32>, memref<?xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%i] to %peer publishes %stored : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%i) in [%M ceildiv 256] {
        %arrived = tile.wait system %sent[%i] : !tile.signals<1>
        %t = tile.load %inbox[%i] tile [256] after %arrived : memref<?xf32, #tile.symmetric> -> tensor<256xf32>
        tile.store %t, %b[%i] : tensor<256xf32>, memref<?xf32>
      }
    }
  }
}
