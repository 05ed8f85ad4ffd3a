// Groups of workgroups that hand tiles to each other, with a role before and one after them.
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
        %t = tile.load %a[%i] tile [64] : memref<256xf32> -> tensor<64xf32>
        %stored = tile.store %t, %inbox[%i] to %peer after %free : tensor<64xf32>, memref<256xf32, #tile.symmetric> -> !tile.token
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
