// Waiting workgroups that arrive first and fill the GPU (MORI on 80 units, FlashMoE's 132 on 78): the producers behind them
// never start. Producers first, and the class is `any`.
// RUN: %broken > %t.mlir && not tilec-opt %t.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize,tile-verify{resident-workgroups=4}))' 2>&1 | FileCheck %s
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize,tile-verify{resident-workgroups=4}))' | FileCheck %s --check-prefix=ANY
// RUN: tilec run %s --units 1 %adversarial
// RUN: not tilec run --no-verify %t.mlir --units 1 %adversarial 2>&1 | FileCheck %s --check-prefix=EMULATED
// CHECK: error: a kernel with more spinning workgroups than can be resident: 5 must be resident, 4 can be
// CHECK: note: this wait spins
// CHECK: note: until this signal, of a workgroup that arrives later
// EMULATED: deadlock: no wait can be satisfied
// ANY: progress = #tile<progress any>
tile.program @starve(%a: memref<256xf32>, %b: memref<256xf32>) world 1 {
  %staged = tile.alloc [256] : memref<256xf32>
  %sent = tile.signals [4] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @produce { // repaired
      tile.forall (%i) in [4] { // repaired
        %t = tile.load %a[%i] tile [64] : memref<256xf32> -> tensor<64xf32> // repaired
        %stored = tile.store %t, %staged[%i] : tensor<64xf32>, memref<256xf32> -> !tile.token // repaired
        tile.signal agent %sent[%i] to %zero publishes %stored : !tile.signals<1> // repaired
      } // repaired
    } // repaired
    tile.role @consume on 8 workgroups {
      tile.forall (%i) in [4] {
        %arrived = tile.wait agent %sent[%i] : !tile.signals<1>
        %t = tile.load %staged[%i] tile [64] after %arrived : memref<256xf32> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<256xf32>
      }
    }
    // broken: tile.role @produce {
      // broken: tile.forall (%i) in [4] {
        // broken: %t = tile.load %a[%i] tile [64] : memref<256xf32> -> tensor<64xf32>
        // broken: %stored = tile.store %t, %staged[%i] : tensor<64xf32>, memref<256xf32> -> !tile.token
        // broken: tile.signal agent %sent[%i] to %zero publishes %stored : !tile.signals<1>
      // broken: }
    // broken: }
  }
}
