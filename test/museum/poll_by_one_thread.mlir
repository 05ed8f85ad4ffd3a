// TileScale polls through a volatile pointer, by one thread, ahead of a pipelined loop of loads: it does not acquire, and brings no
// barrier for the threads that do not poll. To the loads it is as if nobody had waited.
// RUN: %broken > %t.mlir && not tilec verify %t.mlir 2>&1 | FileCheck %s
// RUN: tilec verify %s
// RUN: tilec run %s %adversarial
// The broken text is the repaired one but for a comment, see README.md: its wait becomes the poll of one thread by hand.
// RUN: tilec %s --emit hip | grep -v '^ *//' > %t.repaired && tilec %t.mlir --no-verify --emit hip > %t.hip && grep -v '^ *//' %t.hip > %t.broken && diff %t.repaired %t.broken
// RUN: %polls_of_one_thread < %t.hip > %t.volatile.hip
// RUN: not tilec run --no-verify %t.mlir --text %t.volatile.hip %adversarial 2>&1 | FileCheck %s --check-prefix=EMULATED
// CHECK: error: data race: read of element [0, 0] of '%full' on rank 0, by task (0) of role @multiply on rank 0, is not ordered after the write by task (0) of role @gather on rank 0: it names no wait, expected one for the signal [0] of rank 0
// EMULATED: race: {{.*}} bytes of %full
tile.program @gather_matmul(%a: memref<64x128xf32>, %b: memref<64x128xf32>, %c: memref<128x64xf32>) world 2 {
  %full = tile.alloc [128, 128] {copies = 2} : memref<128x128xf32, #tile.symmetric>
  %sent = tile.signals [2] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %rank = tile.rank
  tile.kernel @k {
    tile.role @gather {
      tile.forall (%to) in [2] {
        %t = tile.load %a[%zero, %zero] tile [64, 128] : memref<64x128xf32> -> tensor<64x128xf32>
        %stored = tile.store %t, %full[%rank, %zero] to %to : tensor<64x128xf32>, memref<128x128xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%rank] to %to publishes %stored : !tile.signals<1>
      }
    }
    tile.role @multiply {
      tile.forall (%m) in [2] {
        %nothing = arith.constant dense<0.0> : tensor<64x64xf32>
        %arrived = tile.wait system %sent[%m] : !tile.signals<1>
        %product = scf.for %k = %zero to %four step %one iter_args(%sum = %nothing) -> tensor<64x64xf32> {
          %x = tile.load %full[%m, %k] tile [64, 32] after %arrived : memref<128x128xf32, #tile.symmetric> -> tensor<64x32xf32> // repaired
          // broken: %x = tile.load %full[%m, %k] tile [64, 32] : memref<128x128xf32, #tile.symmetric> -> tensor<64x32xf32>
          %y = tile.load %b[%zero, %k] tile [64, 32] : memref<64x128xf32> -> tensor<64x32xf32>
          %more = tile.dot %x, transpose %y, %sum : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x64xf32>
          scf.yield %more : tensor<64x64xf32>
        }
        tile.store %product, %c[%m, %zero] : tensor<64x64xf32>, memref<128x64xf32>
      }
    }
  }
}
