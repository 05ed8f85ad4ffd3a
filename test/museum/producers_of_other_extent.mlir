// `epoch * producers` with an extent that changes from launch to launch: the consumer waits for the number of producers of
// another launch. In the kernel form a signal raises a word to the epoch, so that no sum of producers exists; what remains
// of the bug is a wait for a fixed number of them.
// RUN: %broken > %t.mlir && not tilec verify %t.mlir 2>&1 | FileCheck %s
// RUN: tilec verify %s
// RUN: tilec run %s --extents-from 200,40,1 %adversarial
// RUN: not tilec run --no-verify %t.mlir --extents-from 200,40,1 %adversarial 2>&1 | FileCheck %s --check-prefix=ORACLE
// The oracle runs first and refuses it. The emulator runs the broken text beside the repaired program.
// RUN: tilec %t.mlir --no-verify --emit hip > %t.hip
// RUN: not tilec run %s --text %t.hip --extents-from 200,40,1 %adversarial 2>&1 | FileCheck %s --check-prefix=EMULATED
// CHECK: error: {{raises|waits for}} {{.*}}, in task ({{.}}) of role @{{.*}} on rank 0
// ORACLE: signal index {{[0-9]+}} is outside of the grid, which has {{[0-9]+}}
// EMULATED: deadlock: no wait can be satisfied
tile.program @collect<%M>(%a: memref<?x4xf32>, %b: memref<?x4xf32>) world 1 extents [%a: %M, 4] [%b: %M, 4] {
  %half = tile.alloc [%M, 4] : memref<?x4xf32>
  %written = tile.signals [%M ceildiv 64] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %sixty_three = arith.constant 63 : index
  %sixty_four = arith.constant 64 : index
  %more = arith.addi %M, %sixty_three : index
  %producers = arith.divui %more, %sixty_four : index // repaired
  // broken: %producers = arith.constant 4 : index
  tile.kernel @k {
    tile.role @produce {
      tile.forall (%m) in [%M ceildiv 64] {
        %t = tile.load %a[%m, %zero] tile [64, 4] : memref<?x4xf32> -> tensor<64x4xf32>
        %stored = tile.store %t, %half[%m, %zero] : tensor<64x4xf32>, memref<?x4xf32> -> !tile.token
        tile.signal agent %written[%m] to %zero publishes %stored : !tile.signals<1>
      }
    }
    tile.role @consume {
      tile.forall (%m) in [%M ceildiv 64] {
        %all = tile.wait agent %written[%zero] count [%producers] : !tile.signals<1>
        %t = tile.load %half[%m, %zero] tile [64, 4] after %all : memref<?x4xf32> -> tensor<64x4xf32>
        tile.store %t, %b[%m, %zero] : tensor<64x4xf32>, memref<?x4xf32>
      }
    }
  }
}
