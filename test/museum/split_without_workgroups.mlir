// Iris example 11 gives communication the workgroups that a power of two leaves over: 256 + 0 on a GPU of 256 units. Nobody
// runs the role that the others wait for.
// RUN: %broken > %t.mlir && not tilec verify %t.mlir 2>&1 | FileCheck %s
// RUN: sed 's/on 2 workgroups/on 0 workgroups/' %s | not tilec verify 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: tilec verify %s
// RUN: tilec run %s %adversarial
// RUN: not tilec run --no-verify %t.mlir %adversarial 2>&1 | FileCheck %s --check-prefix=EMULATED
// CHECK: error: reads element [0] of '%staged' on rank 0, by task (0) of role @compute on rank 0, which no store of the launch writes
// CHECK: error: waits for [0] of rank 0, which nothing raises, in task (0) of role @compute on rank 0
// EMULATED: deadlock: no wait can be satisfied
// ZERO: error: 'tile.role' op runs on 0 workgroups, expected 1 to 65536
tile.program @split(%a: memref<256xf32>, %b: memref<256xf32>) world 1 {
  %staged = tile.alloc [256] : memref<256xf32>
  %sent = tile.signals [4] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @communicate on 2 workgroups {
      tile.forall (%i) in [4] { // repaired
      // broken: tile.forall (%i) in [0] {
        %t = tile.load %a[%i] tile [64] : memref<256xf32> -> tensor<64xf32>
        %stored = tile.store %t, %staged[%i] : tensor<64xf32>, memref<256xf32> -> !tile.token
        tile.signal agent %sent[%i] to %zero publishes %stored : !tile.signals<1>
      }
    }
    tile.role @compute {
      tile.forall (%i) in [4] {
        %arrived = tile.wait agent %sent[%i] : !tile.signals<1>
        %t = tile.load %staged[%i] tile [64] after %arrived : memref<256xf32> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<256xf32>
      }
    }
  }
}
