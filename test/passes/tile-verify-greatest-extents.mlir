// RUN: not tilec verify %s --world 2 2>&1 | FileCheck %s

// Each extent is above 129 in some sample, both are in the one in which all are as great as they may be at a launch. There tile (2, 0)
// waits for the word of tile (0, 0).
// CHECK: error: data race
// CHECK-SAME: M=200/N=200
tile.program @both_great<%M, %N>(%a: memref<?x?xf32>, %b: memref<?x?xf32>) world 2 extents [%a: %M, %N] [%b: %M, %N] {
  %inbox = tile.alloc [%M, %N] {copies = 2} : memref<?x?xf32, #tile.symmetric>
  %sent = tile.signals [2, %M ceildiv 64, %N ceildiv 64] : !tile.signals<3>
  %consumed = tile.signals [1] : !tile.signals<1>
  %rank = tile.rank
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %peer = arith.subi %one, %rank : index
  tile.kernel @k {
    tile.role @send {
      %free = tile.wait system %consumed[%zero] lag 2 : !tile.signals<1>
      tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
        %t = tile.load %a[%m, %n] tile [64, 64] : memref<?x?xf32> -> tensor<64x64xf32>
        %s = tile.store %t, %inbox[%m, %n] to %peer after %free : tensor<64x64xf32>, memref<?x?xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%rank, %m, %n] to %peer publishes %s : !tile.signals<3>
      }
    }
    tile.role @receive {
      tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
        %big = arith.constant 129 : index
        %i1 = arith.cmpi ugt, %M, %big : index
        %i2 = arith.cmpi ugt, %N, %big : index
        %is = arith.andi %i1, %i2 : i1
        %mm = arith.select %is, %zero, %m : index
        %w = tile.wait system %sent[%peer, %mm, %n] : !tile.signals<3>
        %t = tile.load %inbox[%m, %n] tile [64, 64] after %w : memref<?x?xf32, #tile.symmetric> -> tensor<64x64xf32>
        tile.store %t, %b[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
      }
    }
    tile.role @leave last {
      tile.signal system %consumed[%zero] to %peer : !tile.signals<1>
    }
  }
}
