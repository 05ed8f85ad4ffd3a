// RUN: tilec %s --world 4 --target gfx942 --emit=hip > %t.gfx942.hip && %generate --offload-arch=gfx942 %t.gfx942.hip
// RUN: %if full %{ tilec %s --world 4 --target gfx950 --emit=hip > %t.gfx950.hip && %generate --offload-arch=gfx950 %t.gfx950.hip %}
// RUN: for w in 1 4; do tilec run %s --world $w --extents-from 1,40 --launches 2 || exit 1; done
// RUN: tilec run %s --world 3 --extent M=70 --race --memory weak --skewed --shuffle --launches 3 --seeds 2

// All-gather in a ring: in each of W - 1 steps a rank passes on to the next one the part that it has got in the step before, its own one first.
// The steps are a loop of the kernel: the text for 8 ranks is as long as that for 4.
// RUN: tilec %s --world 8 --target gfx942 --emit=hip > %t.8.hip
// RUN: test `wc -l < %t.8.hip` = `wc -l < %t.gfx942.hip`
tile.program @ring_all_gather<%M>(%a: memref<?x64xf32>, %b: memref<?x?x64xf32>) extents [%a: %M, 64] [%b: W, %M, 64] {
  %full = tile.alloc [W, %M, 64] : memref<?x?x64xf32, #tile.symmetric>
  %rank = tile.rank
  %world = tile.world_size
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ahead = arith.addi %rank, %c1 : index
  %next = arith.remui %ahead, %world : index
  %steps = tile.extent [W - 1]
  tile.forall (%i) in [%M ceildiv 32] {
    %t = tile.load %a[%i, %c0] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    tile.store %t, %full[%rank, %i, %c0] : tensor<32x64xf32>, memref<?x?x64xf32, #tile.symmetric>
  }
  scf.for %s = %c0 to %steps step %c1 {
    %from = arith.addi %rank, %world : index
    %back = arith.subi %from, %s : index
    %part = arith.remui %back, %world : index
    tile.forall (%i) in [%M ceildiv 32] {
      %t = tile.load %full[%part, %i, %c0] tile [32, 64] : memref<?x?x64xf32, #tile.symmetric> -> tensor<32x64xf32>
      tile.store %t, %full[%part, %i, %c0] to %next : tensor<32x64xf32>, memref<?x?x64xf32, #tile.symmetric>
    }
  }
  tile.forall (%p, %i) in [W, %M ceildiv 32] {
    %t = tile.load %full[%p, %i, %c0] tile [32, 64] : memref<?x?x64xf32, #tile.symmetric> -> tensor<32x64xf32>
    tile.store %t, %b[%p, %i, %c0] : tensor<32x64xf32>, memref<?x?x64xf32>
  }
}
