// Triton-distributed's AMD all-gather polls relaxed and loads: no acquire ties the load to the poll, as if the load
// did not name the wait.
// RUN: %broken > %t.mlir && not tilec verify %t.mlir 2>&1 | FileCheck %s
// RUN: tilec verify %s
// RUN: tilec run %s %adversarial
// The broken text is the repaired one but for a comment, see README.md: its wait loses the acquire by hand.
// RUN: tilec %s --emit hip | grep -v '^ *//' > %t.repaired && tilec %t.mlir --no-verify --emit hip > %t.hip && grep -v '^ *//' %t.hip > %t.broken && diff %t.repaired %t.broken
// RUN: %relaxed_polls < %t.hip > %t.relaxed.hip
// RUN: not tilec run --no-verify %t.mlir --text %t.relaxed.hip %adversarial 2>&1 | FileCheck %s --check-prefix=EMULATED
// CHECK: error: data race: read of element [0] of '%inbox' on rank 0, by task (0) of role @receive on rank 0, is not ordered after the write by task (0) of role @send on rank 1: it names no wait, expected one for the signal [0] of rank 0
// EMULATED: race: {{.*}} bytes of %inbox
tile.program @exchange(%a: memref<256xf32>, %b: memref<256xf32>) world 2 {
  %inbox = tile.alloc [256] {copies = 2} : memref<256xf32, #tile.symmetric>
  %sent = tile.signals [4] : !tile.signals<1>
  %consumed = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %rank = tile.rank
  %world = tile.world_size
  %after = arith.addi %rank, %one : index
  %next = arith.remui %after, %world : index
  %behind = arith.subi %world, %one : index
  %before = arith.addi %rank, %behind : index
  %previous = arith.remui %before, %world : index
  tile.kernel @k {
    tile.role @send {
      %free = tile.wait system %consumed[%zero] lag 2 : !tile.signals<1>
      tile.forall (%i) in [4] {
        %t = tile.load %a[%i] tile [64] : memref<256xf32> -> tensor<64xf32>
        %stored = tile.store %t, %inbox[%i] to %next after %free : tensor<64xf32>, memref<256xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%i] to %next publishes %stored : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%i) in [4] {
        %arrived = tile.wait system %sent[%i] : !tile.signals<1>
        %t = tile.load %inbox[%i] tile [64] after %arrived : memref<256xf32, #tile.symmetric> -> tensor<64xf32> // repaired
        // broken: %t = tile.load %inbox[%i] tile [64] : memref<256xf32, #tile.symmetric> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<256xf32>
      }
    }
    tile.role @leave last {
      tile.signal system %consumed[%zero] to %previous : !tile.signals<1>
    }
  }
}
