// RUN: tilec %s --world 4 --target gfx942 --emit=hip > %t.gfx942.hip && %generate --offload-arch=gfx942 %t.gfx942.hip
// RUN: %if full %{ tilec %s --world 4 --target gfx950 --emit=hip > %t.gfx950.hip && %generate --offload-arch=gfx950 %t.gfx950.hip %}
// RUN: for w in 2 4; do tilec run %s --world $w --extents-from 1,40 --launches 2 || exit 1; done
// RUN: tilec run %s --world 3 --extent M=40 --race --memory weak --skewed --shuffle --launches 3
// RUN: tilec %s --world 8 --target gfx942 --emit=hip > %t.8.hip
// RUN: test `wc -l < %t.8.hip` = `wc -l < %t.gfx942.hip`

// RUN: not tilec %s --world 1 --emit=hip 2>&1 | FileCheck %s
// CHECK: error: extents break the condition '2 <= W': got W = 1

// Reduce-scatter in a ring. In each step a rank adds its own part to the sum that has come, and passes it on. What comes lies
// in two copies, which the steps take in turn: a rank fills a copy again when the next one has read what was in it.
tile.program @ring_reduce_scatter<%M>(%x: memref<?x?xf32>, %y: memref<?xf32>) extents [%x: W, %M] [%y: %M] where 2 <= W {
  %inbox = tile.alloc [2, %M] : memref<2x?xf32, #tile.symmetric>
  %rank = tile.rank
  %world = tile.world_size
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ahead = arith.addi %rank, %c1 : index
  %next = arith.remui %ahead, %world : index
  %around = arith.addi %rank, %world : index
  %last = tile.extent [W - 1]
  %first_part = arith.subi %around, %c1 : index
  %own = arith.remui %first_part, %world : index
  tile.forall (%i) in [%M ceildiv 32] {
    %t = tile.load %x[%own, %i] tile [32] : memref<?x?xf32> -> tensor<32xf32>
    tile.store %t, %inbox[%c0, %i] to %next : tensor<32xf32>, memref<2x?xf32, #tile.symmetric>
  }
  scf.for %s = %c1 to %last step %c1 {
    %before = arith.subi %s, %c1 : index
    %now = arith.remui %before, %c2 : index
    %then = arith.remui %s, %c2 : index
    %back = arith.subi %first_part, %s : index
    %part = arith.remui %back, %world : index
    tile.forall (%i) in [%M ceildiv 32] {
      %t = tile.load %inbox[%now, %i] tile [32] : memref<2x?xf32, #tile.symmetric> -> tensor<32xf32>
      %u = tile.load %x[%part, %i] tile [32] : memref<?x?xf32> -> tensor<32xf32>
      %v = arith.addf %t, %u : tensor<32xf32>
      tile.store %v, %inbox[%then, %i] to %next : tensor<32xf32>, memref<2x?xf32, #tile.symmetric>
    }
  }
  %left = tile.extent [W - 2]
  %end = arith.remui %left, %c2 : index
  tile.forall (%i) in [%M ceildiv 32] {
    %t = tile.load %inbox[%end, %i] tile [32] : memref<2x?xf32, #tile.symmetric> -> tensor<32xf32>
    %u = tile.load %x[%rank, %i] tile [32] : memref<?x?xf32> -> tensor<32xf32>
    %v = arith.addf %t, %u : tensor<32xf32>
    tile.store %v, %y[%i] : tensor<32xf32>, memref<?xf32>
  }
}
