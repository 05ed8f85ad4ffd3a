// RUN: tilec %s --no-verify --emit=hip | FileCheck %s

// A token that is joined with itself again and again reaches its store along 2^27 ways, which are not walked one by one.
// CHECK: // before the writes to inbox
// CHECK-NEXT: tilec::wait
tile.program @groups(%a: memref<256xf32>, %b: memref<256xf32>) world 2 extents [%a: 256] [%b: 256] {
  %inbox = tile.alloc [256] {copies = 2} : memref<256xf32, #tile.symmetric>
  %sent = tile.signals [4] : !tile.signals<1>
  %ent = tile.signals [1] : !tile.signals<1>
  %consumed = tile.signals [1] : !tile.signals<1>
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.kernel @k {
    tile.role @enter first {
      tile.signal system %ent[%z] to %peer : !tile.signals<1>
    }
    tile.role @send on 2 workgroups {
      %free = tile.wait system %consumed[%z] lag 2 : !tile.signals<1>
      tile.forall (%i) in [4] {
%j0 = tile.join(%free, %free)
%j1 = tile.join(%j0, %j0)
%j2 = tile.join(%j1, %j1)
%j3 = tile.join(%j2, %j2)
%j4 = tile.join(%j3, %j3)
%j5 = tile.join(%j4, %j4)
%j6 = tile.join(%j5, %j5)
%j7 = tile.join(%j6, %j6)
%j8 = tile.join(%j7, %j7)
%j9 = tile.join(%j8, %j8)
%j10 = tile.join(%j9, %j9)
%j11 = tile.join(%j10, %j10)
%j12 = tile.join(%j11, %j11)
%j13 = tile.join(%j12, %j12)
%j14 = tile.join(%j13, %j13)
%j15 = tile.join(%j14, %j14)
%j16 = tile.join(%j15, %j15)
%j17 = tile.join(%j16, %j16)
%j18 = tile.join(%j17, %j17)
%j19 = tile.join(%j18, %j18)
%j20 = tile.join(%j19, %j19)
%j21 = tile.join(%j20, %j20)
%j22 = tile.join(%j21, %j21)
%j23 = tile.join(%j22, %j22)
%j24 = tile.join(%j23, %j23)
%j25 = tile.join(%j24, %j24)
%j26 = tile.join(%j25, %j25)
        %t = tile.load %a[%i] tile [64] : memref<256xf32> -> tensor<64xf32>
        %stored = tile.store %t, %inbox[%i] to %peer after %j26 : tensor<64xf32>, memref<256xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%i] to %peer publishes %stored : !tile.signals<1>
      }
    }
    tile.role @receive {
      %en = tile.wait system %ent[%z] : !tile.signals<1>
      tile.forall (%i) in [4] {
        %arrived = tile.wait system %sent[%i] : !tile.signals<1>
        %t = tile.load %inbox[%i] tile [64] after %arrived : memref<256xf32, #tile.symmetric> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<256xf32>
      }
    }
    tile.role @leave last {
      tile.signal system %consumed[%z] to %peer : !tile.signals<1>
    }
  }
}
