// RUN: tilec %s --world 1 --target gfx942 --emit=hip > %t.gfx942.hip && %generate --offload-arch=gfx942 %t.gfx942.hip
// RUN: %if full %{ tilec %s --world 1 --target gfx950 --emit=hip > %t.gfx950.hip && %generate --offload-arch=gfx950 %t.gfx950.hip %}
// RUN: for t in gfx942 sm_90a; do tilec run %s --world 1 --target $t --extent N=50,S=64,D=72 --launches 3 --race || exit 1; done
// RUN: tilec run %s --world 1 --extents-from 7,40,64 --launches 4
// Fewer slots than tokens: some are dropped, and their rows are zero.
// RUN: tilec run %s --world 1 --extent N=70,S=33,D=64

// Tokens go to the slots of their experts, are multiplied with the gain of the slot, and come back. slots: for each token a number that no
// other has; x, y: N x D, f32; gains: S. A token without a slot gets zeros.
tile.program @moe_permutation<%N, %S, %D>(%slots: memref<?xi32>, %x: memref<?x?xf32>, %gains: memref<?xf32>, %y: memref<?x?xf32>)
    extents [%slots: %N] [%x: %N, %D] [%gains: %S] [%y: %N, %D] indices [%slots: %S distinct] {
  %sorted = tile.alloc [%S, %D] : memref<?x?xf32>
  %done = tile.alloc [%S, %D] : memref<?x?xf32>
  tile.forall (%s, %d) in [%S ceildiv 32, %D ceildiv 64] {
    %none = tile.splat 0.0 [32, 64] : tensor<32x64xf32>
    tile.store %none, %sorted[%s, %d] : tensor<32x64xf32>, memref<?x?xf32>
  }
  tile.forall (%n, %d) in [%N ceildiv 32, %D ceildiv 64] {
    %nowhere = arith.constant -1 : i32
    %slot = tile.load %slots[%n] tile [32] else %nowhere : i32 : memref<?xi32> -> tensor<32xi32>
    %t = tile.load %x[%n, %d] tile [32, 64] : memref<?x?xf32> -> tensor<32x64xf32>
    tile.scatter %t, %sorted[each %slot, %d] : tensor<32x64xf32>, memref<?x?xf32>, tensor<32xi32>
  }
  tile.forall (%s, %d) in [%S ceildiv 32, %D ceildiv 64] {
    %t = tile.load %sorted[%s, %d] tile [32, 64] : memref<?x?xf32> -> tensor<32x64xf32>
    %gain = tile.load %gains[%s] tile [32] : memref<?xf32> -> tensor<32xf32>
    %gain_b = tile.broadcast %gain dims [0] tile [32, 64] : tensor<32xf32> -> tensor<32x64xf32>
    %scaled = arith.mulf %t, %gain_b : tensor<32x64xf32>
    tile.store %scaled, %done[%s, %d] : tensor<32x64xf32>, memref<?x?xf32>
  }
  tile.forall (%n, %d) in [%N ceildiv 32, %D ceildiv 64] {
    %slot = tile.load %slots[%n] tile [32] : memref<?xi32> -> tensor<32xi32>
    %t = tile.gather %done[each %slot, %d] tile [32, 64] : memref<?x?xf32>, tensor<32xi32> -> tensor<32x64xf32>
    tile.store %t, %y[%n, %d] : tensor<32x64xf32>, memref<?x?xf32>
  }
}
