// Flags that the reader clears at each call, for the next one: a peer that is a launch ahead has raised its flag for the next
// call already, and the clearing takes that back. Here a word cannot be cleared; its reader writes it again, which is the
// same store from the wrong side. The repaired form counts launches and clears nothing.
// RUN: %broken > %t.mlir && not tilec verify %t.mlir 2>&1 | FileCheck %s
// RUN: tilec verify %s
// RUN: tilec run %s %adversarial
// RUN: not tilec run --no-verify %t.mlir %adversarial 2>&1 | FileCheck %s --check-prefix=EMULATED
// CHECK: error: may lower [1] of rank 0: this signal, by task (1) of role @receive on rank 0, may come after that of the next launch by task (0) of role @send on rank 1
// EMULATED: deadlock: no wait can be satisfied
tile.program @all_to_all(%a: memref<2x64xf32>, %b: memref<2x64xf32>) world 2 {
  %slots = tile.alloc [2, 64] {copies = 2} : memref<2x64xf32, #tile.symmetric>
  %flags = tile.signals [2] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %rank = tile.rank
  tile.kernel @k {
    tile.role @send {
      tile.forall (%to) in [2] {
        %t = tile.load %a[%to, %zero] tile [64] : memref<2x64xf32> -> tensor<64xf32>
        %stored = tile.store %t, %slots[%rank, %zero] to %to : tensor<64xf32>, memref<2x64xf32, #tile.symmetric> -> !tile.token
        tile.signal system %flags[%rank] to %to publishes %stored : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%from) in [2] {
        %arrived = tile.wait system %flags[%from] : !tile.signals<1>
        %t = tile.load %slots[%from, %zero] tile [64] after %arrived : memref<2x64xf32, #tile.symmetric> -> tensor<64xf32>
        tile.store %t, %b[%from, %zero] : tensor<64xf32>, memref<2x64xf32>
        // broken: tile.signal system %flags[%from] to %rank : !tile.signals<1>
      }
    }
  }
}
