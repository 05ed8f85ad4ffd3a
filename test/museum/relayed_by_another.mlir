// The last of several producers tells a peer for all of them, and the others released to their own device alone.
// RUN: %broken > %t.mlir && not tilec verify %t.mlir 2>&1 | FileCheck %s
// RUN: tilec verify %s
// RUN: tilec run %s %adversarial
// RUN: not tilec run --no-verify %t.mlir %adversarial 2>&1 | FileCheck %s --check-prefix=EMULATED
// CHECK: error: data race: read of element [0] of '%inbox' on rank 0, by task (0) of role @receive on rank 0, is not ordered after the write by task (0) of role @send on rank 1: it is released at scope 'agent' alone, which does not reach another GPU, not even through a signal of another task
// CHECK: note: the write is here
// EMULATED: race: {{.*}} bytes of %inbox
tile.program @relayed(%a: memref<256xf32>, %b: memref<256xf32>) world 2 {
  %inbox = tile.alloc [256] {copies = 2} : memref<256xf32, #tile.symmetric>
  %stored = tile.signals [4] : !tile.signals<1>
  %sent = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.kernel @k {
    tile.role @send {
      tile.forall (%i) in [4] {
        %t = tile.load %a[%i] tile [64] : memref<256xf32> -> tensor<64xf32>
        %done = tile.store %t, %inbox[%i] to %peer : tensor<64xf32>, memref<256xf32, #tile.symmetric> -> !tile.token
        tile.signal system %stored[%i] to %rank publishes %done : !tile.signals<1> // repaired
        // broken: tile.signal agent %stored[%i] to %rank publishes %done : !tile.signals<1>
      }
    }
    tile.role @tell {
      tile.forall (%i) in [1] {
        %all = tile.wait agent %stored[%zero] count[%four] : !tile.signals<1>
        tile.signal system %sent[%zero] to %peer : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%i) in [4] {
        %arrived = tile.wait system %sent[%zero] : !tile.signals<1>
        %t = tile.load %inbox[%i] tile [64] after %arrived : memref<256xf32, #tile.symmetric> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<256xf32>
      }
    }
  }
}
