// RUN: not tilec verify %s 2>&1 | FileCheck %s
// RUN: not tilec %s -o %t 2>&1 | FileCheck %s
// RUN: not tilec run %s --extents-from 3000 2>&1 | FileCheck %s
// CHECK: grid-of-forty-words.mlir:[[#@LINE+16]]:{{.*}} error: raises index 40 in dimension 0 of a grid of size 40, in task (40) of role @send on rank 0, with M=2561
// CHECK: grid-of-forty-words.mlir:[[#@LINE+6]]:{{.*}} note: the grid is declared here
// CHECK: error: waits for index 40 in dimension 0 of a grid of size 40, in task (40) of role @receive on rank 0, with M=2561

// A grid of 40 words was accepted for any number of tiles: no sample has more than 40 tiles of 64 rows.
tile.program @t<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 2 extents [%a: %M] [%b: %M] {
  %inbox = tile.alloc [%M] {copies = 2} : memref<?xf32, #tile.symmetric>
  %sent = tile.signals [40] : !tile.signals<1>
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.kernel @k {
    tile.role @send {
      tile.forall (%i) in [%M ceildiv 64] {
        %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
        %stored = tile.store %t, %inbox[%i] to %peer : tensor<64xf32>, memref<?xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%i] to %peer publishes %stored : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%i) in [%M ceildiv 64] {
        %arrived = tile.wait system %sent[%i] : !tile.signals<1>
        %t = tile.load %inbox[%i] tile [64] after %arrived : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
      }
    }
  }
}
