// A task that sends and then waits for its peer's: in the oracle rank 0 ran before rank 1 had stored anything.
// RUN: tilec verify %s && tilec run %s --launches 3 --shuffle | FileCheck %s
// RUN: sed -e 's,tile.signal system .sent,tile.signal system %%other,' %s > %t.mlir
// RUN: tilec run %t.mlir --no-verify > %t.txt 2>&1; test $? = 1 && FileCheck %s --input-file=%t.txt --check-prefix=STUCK
// CHECK: rank 0: largest error 0
// CHECK: rank 1: largest error 0
// STUCK: deadlock: no wait can be satisfied
tile.program @exchange(%a: memref<256xf32>, %b: memref<256xf32>) world 2 {
  %inbox = tile.alloc [256] {copies = 2} : memref<256xf32, #tile.symmetric>
  %sent = tile.signals [4] : !tile.signals<1>
  %other = tile.signals [4] : !tile.signals<1>
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.kernel @k {
    tile.role @swap {
      tile.forall (%i) in [4] {
        %t = tile.load %a[%i] tile [64] : memref<256xf32> -> tensor<64xf32>
        %stored = tile.store %t, %inbox[%i] to %peer : tensor<64xf32>, memref<256xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%i] to %peer publishes %stored : !tile.signals<1>
        %arrived = tile.wait system %sent[%i] : !tile.signals<1>
        %u = tile.load %inbox[%i] tile [64] after %arrived : memref<256xf32, #tile.symmetric> -> tensor<64xf32>
        tile.store %u, %b[%i] : tensor<64xf32>, memref<256xf32>
      }
    }
  }
}
