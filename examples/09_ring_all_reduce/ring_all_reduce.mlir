// All-reduce in a ring: the steps of the first loop are a reduce-scatter. A rank sends the sum of a part so far to the next one, which adds its own.
// What arrives lies in two copies, which the steps take in turn: a rank fills a copy again when the next one has added what was in it.
// In the second loop the sums go round.
tile.program @ring_all_reduce<%M>(%x: memref<?x?x64xf32>, %y: memref<?x?x64xf32>) extents [%x: W, %M, 64] [%y: W, %M, 64] {
  %sum = tile.alloc [W, %M, 64] : memref<?x?x64xf32, #tile.symmetric>
  %inbox = tile.alloc [2, %M, 64] : memref<2x?x64xf32, #tile.symmetric>
  %rank = tile.rank
  %world = tile.world_size
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ahead = arith.addi %rank, %c1 : index
  %next = arith.remui %ahead, %world : index
  %from = arith.addi %rank, %world : index
  %steps = tile.extent [W - 1]

  tile.forall (%p, %i) in [W, %M ceildiv 32] {
    %t = tile.load %x[%p, %i, %c0] tile [32, 64] : memref<?x?x64xf32> -> tensor<32x64xf32>
    tile.store %t, %sum[%p, %i, %c0] : tensor<32x64xf32>, memref<?x?x64xf32, #tile.symmetric>
  }
  // after W - 1 steps a rank has the sum of part rank + 1
  scf.for %s = %c0 to %steps step %c1 {
    %copy = arith.remui %s, %c2 : index
    %back = arith.subi %from, %s : index
    %part = arith.remui %back, %world : index
    %before = arith.subi %back, %c1 : index
    %into = arith.remui %before, %world : index
    tile.forall (%i) in [%M ceildiv 32] {
      %t = tile.load %sum[%part, %i, %c0] tile [32, 64] : memref<?x?x64xf32, #tile.symmetric> -> tensor<32x64xf32>
      tile.store %t, %inbox[%copy, %i, %c0] to %next : tensor<32x64xf32>, memref<2x?x64xf32, #tile.symmetric>
    }
    tile.forall (%i) in [%M ceildiv 32] {
      %t = tile.load %inbox[%copy, %i, %c0] tile [32, 64] : memref<2x?x64xf32, #tile.symmetric> -> tensor<32x64xf32>
      %u = tile.load %sum[%into, %i, %c0] tile [32, 64] : memref<?x?x64xf32, #tile.symmetric> -> tensor<32x64xf32>
      %v = arith.addf %t, %u : tensor<32x64xf32>
      tile.store %v, %sum[%into, %i, %c0] : tensor<32x64xf32>, memref<?x?x64xf32, #tile.symmetric>
    }
  }
  // the sums go round
  scf.for %s = %c0 to %steps step %c1 {
    %ahead_of = arith.addi %from, %c1 : index
    %back = arith.subi %ahead_of, %s : index
    %part = arith.remui %back, %world : index
    tile.forall (%i) in [%M ceildiv 32] {
      %t = tile.load %sum[%part, %i, %c0] tile [32, 64] : memref<?x?x64xf32, #tile.symmetric> -> tensor<32x64xf32>
      tile.store %t, %sum[%part, %i, %c0] to %next : tensor<32x64xf32>, memref<?x?x64xf32, #tile.symmetric>
    }
  }
  tile.forall (%p, %i) in [W, %M ceildiv 32] {
    %t = tile.load %sum[%p, %i, %c0] tile [32, 64] : memref<?x?x64xf32, #tile.symmetric> -> tensor<32x64xf32>
    tile.store %t, %y[%p, %i, %c0] : tensor<32x64xf32>, memref<?x?x64xf32>
  }
}
