// tilec crashed on this program: --target gfx942 --world 2
// The kernel form, written by hand: one role sends tiles to the next rank and signals, another waits and doubles them.
tile.program @signal<%M>(%a: memref<?x256xf32>, %b: memref<?x256xf32>) extents [%a: %M, 256] [%b: %M, 256] {
  %inbox = tile.alloc [%M, 256] {copies = 2} : memref<?x256xf32, #tile.symmetric>
  %sent = tile.signals [%M ceildiv 64, 4] : !tile.signals<2>
  %consumed = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  %world = tile.world_size
  %after = arith.addi %rank, %one : index
  %next = arith.remui %after, %world : index
  %behind = arith.subi %world, %one : index
  %before = arith.addi %rank, %behind : index
  %previous = arith.remui %before, %world : index

  tile.kernel @signal {
    tile.role @send {
      // the inbox has two copies: the next rank must have emptied the one used two launches ago
      %free = tile.wait system %consumed[%zero] lag 2 : !tile.signals<1>
      tile.forall (%m, %n) in [%M ceildiv 64, 4] {
        %t = tile.load %a[%m, %n] tile [64, 64] : memref<?x256xf32> -> tensor<64x64xf32>
        %stored = tile.store %t, %inbox[%m, %n] to %next after %free : tensor<64x64xf32>, memref<?x256xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%m, %n] to %next publishes %stored : !tile.signals<2>
      }
    }
    tile.role @receive {
      tile.forall (%m, %n) in [%M ceildiv 64, 4] {
        %arrived = tile.wait system %sent[%m, %n] : !tile.signals<2>
        %t = tile.load %inbox[%m, %n] tile [64, 64] after %arrived : memref<?x256xf32, #tile.symmetric> -> tensor<64x64xf32>
        %twice = arith.addf %t, %t : tensor<64x64xf32>
        tile.store %twice, %b[%m, %n] : tensor<64x64xf32>, memref<?x256xf32>
      }
    }
    tile.role @leave last {
      tile.signal system %consumed[%zero] to %previous : !tile.signals<1>
    }
  }
}
