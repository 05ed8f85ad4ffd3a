// A symmetric buffer that a peer overwrites while a slow rank still reads (tokenspeed #1017). Two copies do not save a ring
// of three.
// RUN: %broken > %t.mlir && not tilec verify %t.mlir 2>&1 | FileCheck %s
// RUN: tilec verify %s
// RUN: tilec run %s %adversarial
// RUN: not tilec run --no-verify %t.mlir %adversarial 2>&1 | FileCheck %s --check-prefix=EMULATED
// CHECK: error: data race: write of element [0] of '%inbox' on rank {{.}}, by task (0) of role @send on rank {{.}}, is not ordered after the read by task (0) of role @receive on rank {{.}}, 2 launches earlier: no signal follows the read
// EMULATED: race: {{.*}} bytes of %inbox
tile.program @exchange(%a: memref<256xf32>, %b: memref<256xf32>) world 3 {
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
      %free = tile.wait system %consumed[%zero] lag 2 : !tile.signals<1> // repaired
      // broken: %free = tile.join()
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
