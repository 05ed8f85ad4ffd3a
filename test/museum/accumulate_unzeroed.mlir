// ParallelKittens' reduction adds into a buffer that is zeroed once, or by nobody: from the second launch on the sum holds
// that of the launch before. Here partial sums are added into scratch.
// RUN: %broken > %t.mlir && not tilec verify %t.mlir 2>&1 | FileCheck %s
// RUN: tilec verify %s
// RUN: tilec run %s %adversarial
// RUN: not tilec run --no-verify %t.mlir %adversarial 2>&1 | FileCheck %s --check-prefix=EMULATED
// CHECK: error: accumulates into element [0] of '%sum' on rank 0, by task (0) of role @add on rank 0, which no store of the launch writes
// CHECK: note: scratch is undefined at the start of every launch
// EMULATED: unwritten: 4 bytes of %sum
tile.program @accumulate(%a: memref<4x64xf32>, %c: memref<64xf32>) world 1 {
  %sum = tile.alloc [64] : memref<64xf32>
  %zeroed = tile.signals [1] : !tile.signals<1>
  %added = tile.signals [4] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  tile.kernel @k {
    tile.role @clear {
      tile.forall (%i) in [1] {
        %nothing = arith.constant dense<0.0> : tensor<64xf32>
        %cleared = tile.store %nothing, %sum[%zero] : tensor<64xf32>, memref<64xf32> -> !tile.token // repaired
        tile.signal agent %zeroed[%zero] to %zero publishes %cleared : !tile.signals<1> // repaired
        // broken: tile.signal agent %zeroed[%zero] to %zero : !tile.signals<1>
      }
    }
    tile.role @add {
      tile.forall (%i) in [4] {
        %ready = tile.wait agent %zeroed[%zero] : !tile.signals<1>
        %t = tile.load %a[%i, %zero] tile [64] : memref<4x64xf32> -> tensor<64xf32>
        %done = tile.atomic add %t, %sum[%zero] after %ready : tensor<64xf32>, memref<64xf32> -> !tile.token
        tile.signal agent %added[%i] to %zero publishes %done : !tile.signals<1>
      }
    }
    tile.role @finish {
      tile.forall (%i) in [1] {
        %all = tile.wait agent %added[%zero] count [%four] : !tile.signals<1>
        %t = tile.load %sum[%zero] tile [64] after %all : memref<64xf32> -> tensor<64xf32>
        tile.store %t, %c[%zero] : tensor<64xf32>, memref<64xf32>
      }
    }
  }
}
