// ParallelKittens polls relaxed, with neither acquire nor fence, and issues bulk loads: nothing keeps these behind the poll. Here
// the loads of a product name no wait, `pipeline` issues those of the next pass early, and the wait stays where it is.
// RUN: %broken > %t.mlir && not tilec verify %t.mlir 2>&1 | FileCheck %s
// RUN: tilec verify %s
// RUN: tilec run %s %adversarial
// RUN: not tilec run --no-verify %t.mlir %adversarial 2>&1 | FileCheck %s --check-prefix=EMULATED
// CHECK: error: data race: read of element [0, 0] of '%full' on rank 0, by task (0) of role @multiply on rank 0, is not ordered after the write by task (0, 0) of role @gather on rank 0: it names no wait, expected one for the signal [0] of rank 0
// EMULATED: race: {{.*}} bytes of %full
tile.program @gather_matmul(%a: memref<64x128xf32>, %b: memref<64x256xf32>, %c: memref<64x64xf32>) world 2 {
  %full = tile.alloc [64, 256] {copies = 2} : memref<64x256xf32, #tile.symmetric>
  %sent = tile.signals [8] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %eight = arith.constant 8 : index
  %rank = tile.rank
  %shard = arith.muli %rank, %four : index
  tile.kernel @k {
    tile.role @gather {
      tile.forall (%to, %i) in [2, 4] {
        %t = tile.load %a[%zero, %i] tile [64, 32] : memref<64x128xf32> -> tensor<64x32xf32>
        %k = arith.addi %shard, %i : index
        %stored = tile.store %t, %full[%zero, %k] to %to : tensor<64x32xf32>, memref<64x256xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%k] to %to publishes %stored : !tile.signals<1>
      }
    }
    tile.role @multiply {
      tile.forall (%n) in [1] {
        %nothing = arith.constant dense<0.0> : tensor<64x64xf32>
        %product = scf.for %k = %zero to %eight step %one iter_args(%sum = %nothing) -> tensor<64x64xf32> {
          %arrived = tile.wait system %sent[%k] : !tile.signals<1>
          %x = tile.load %full[%zero, %k] tile [64, 32] after %arrived : memref<64x256xf32, #tile.symmetric> -> tensor<64x32xf32> // repaired
          // broken: %x = tile.load %full[%zero, %k] tile [64, 32] : memref<64x256xf32, #tile.symmetric> -> tensor<64x32xf32>
          %y = tile.load %b[%n, %k] tile [64, 32] : memref<64x256xf32> -> tensor<64x32xf32>
          %more = tile.dot %x, transpose %y, %sum : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x64xf32>
          scf.yield %more : tensor<64x64xf32>
        }
        tile.store %product, %c[%zero, %n] : tensor<64x64xf32>, memref<64x64xf32>
      }
    }
  }
}
