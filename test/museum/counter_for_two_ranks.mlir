// One word for the arrivals of all ranks (found by exhaustive exploration of GEMM + reduce-scatter, 3 ranks): the arrival of
// one rank stands in for that of another, and the owner reduces an empty slot.
// RUN: %broken > %t.mlir && not tilec verify %t.mlir 2>&1 | FileCheck %s
// RUN: tilec verify %s
// RUN: tilec run %s %adversarial
// RUN: not tilec run --no-verify %t.mlir %adversarial 2>&1 | FileCheck %s --check-prefix=EMULATED
// CHECK: error: data race: read of element [{{.}}, 0] of '%slots' on rank 0, by task (0) of role @reduce on rank 0, is not ordered after the write by task (0) of role @multiply on rank {{.}}: none of the waits it names knows, expected the signal [0] of rank 0
// EMULATED: race: {{.*}} bytes of %slots
tile.program @reduce(%a: memref<3x64xf32>, %c: memref<64xf32>) world 3 {
  %slots = tile.alloc [3, 64] {copies = 2} : memref<3x64xf32, #tile.symmetric>
  %arrived = tile.signals [3] : !tile.signals<1> // repaired
  // broken: %arrived = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %rank = tile.rank
  tile.kernel @k {
    tile.role @multiply {
      tile.forall (%to) in [3] {
        %t = tile.load %a[%to, %zero] tile [64] : memref<3x64xf32> -> tensor<64xf32>
        %stored = tile.store %t, %slots[%rank, %zero] to %to : tensor<64xf32>, memref<3x64xf32, #tile.symmetric> -> !tile.token
        tile.signal system %arrived[%rank] to %to publishes %stored : !tile.signals<1> // repaired
        // broken: tile.signal system %arrived[%zero] to %to publishes %stored : !tile.signals<1>
      }
    }
    tile.role @reduce {
      tile.forall (%i) in [1] {
        %all = tile.wait system %arrived[%zero] count [%three] : !tile.signals<1> // repaired
        // broken: %all = tile.wait system %arrived[%zero] : !tile.signals<1>
        %x = tile.load %slots[%zero, %zero] tile [64] after %all : memref<3x64xf32, #tile.symmetric> -> tensor<64xf32>
        %y = tile.load %slots[%one, %zero] tile [64] after %all : memref<3x64xf32, #tile.symmetric> -> tensor<64xf32>
        %z = tile.load %slots[%two, %zero] tile [64] after %all : memref<3x64xf32, #tile.symmetric> -> tensor<64xf32>
        %xy = arith.addf %x, %y : tensor<64xf32>
        %sum = arith.addf %xy, %z : tensor<64xf32>
        tile.store %sum, %c[%zero] : tensor<64xf32>, memref<64xf32>
      }
    }
  }
}
