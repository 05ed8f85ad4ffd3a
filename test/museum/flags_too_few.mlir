// Iris #463: an array of flags that is smaller than the number of tiles; the rest of the heap is overwritten.
// RUN: %broken > %t.mlir && not tilec verify %t.mlir 2>&1 | FileCheck %s
// RUN: tilec verify %s
// RUN: tilec run %s %adversarial
// RUN: not tilec run --no-verify %t.mlir %adversarial 2>&1 | FileCheck %s --check-prefix=ORACLE
// The oracle runs first and refuses it. The emulator runs the broken text beside the repaired program.
// RUN: tilec %t.mlir --no-verify --emit hip | sed "/_facts()/d" > %t.hip
// RUN: not tilec run %s --text %t.hip %adversarial 2>&1 | FileCheck %s --check-prefix=EMULATED
// CHECK: error: raises index 3 in dimension 0 of a grid of size 3, in task (3) of role @send on rank 0
// CHECK: note: the grid is declared here
// ORACLE: signal index 3 is outside of the grid, which has 3
// EMULATED: a signal's index is 3 where its grid has 3
tile.program @exchange(%a: memref<256xf32>, %b: memref<256xf32>) world 2 {
  %inbox = tile.alloc [256] {copies = 2} : memref<256xf32, #tile.symmetric>
  %sent = tile.signals [4] : !tile.signals<1> // repaired
  // broken: %sent = tile.signals [3] : !tile.signals<1>
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
        %t = tile.load %inbox[%i] tile [64] after %arrived : memref<256xf32, #tile.symmetric> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<256xf32>
      }
    }
    tile.role @leave last {
      tile.signal system %consumed[%zero] to %previous : !tile.signals<1>
    }
  }
}
