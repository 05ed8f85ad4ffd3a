// RUN: tilec %s --world 2 --pattern sequential-push --until waits | FileCheck %s
// RUN: tilec run %s --world 2 --pattern sequential-push --extents-from 40,8,130 --launches 4 --shuffle --seeds 2 --memory weak --race --skewed

// A task that reads beside its view hears from nobody: that others of its statement hear from every rank does not free
// the buffer that it writes. 'verify' rejected the one copy that %s got.
// The condition says that tiles of %N and of %K elements may meet.
// CHECK: %sum = tile.alloc [2, %N, %K] {copies = 2 : i64}
// CHECK: %s = tile.alloc [2, %N, %N] {copies = 2 : i64}
tile.program @beside<%N, %K>(%x: memref<?x?xf32>, %out: memref<?x?x?xf32>) extents [%x: %N, %K] [%out: W, %N, %N] where %K <= 64 * %N {
  %sum = tile.alloc [W, %N, %K] : memref<?x?x?xf32, #tile.symmetric>
  %s = tile.alloc [W, %N, %N] : memref<?x?x?xf32, #tile.symmetric>
  %rank = tile.rank
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %world = tile.world_size
  tile.forall (%p, %m, %n) in [W, %N ceildiv 16, %K ceildiv 16] {
    %t = tile.load %x[%m, %n] tile [16, 16] : memref<?x?xf32> -> tensor<16x16xf32>
    tile.store %t, %sum[%rank, %m, %n] to %p : tensor<16x16xf32>, memref<?x?x?xf32, #tile.symmetric>
  }
  tile.forall (%p, %m, %n) in [W, %N ceildiv 16, %N ceildiv 16] {
    %zero = tile.splat 0.0 [16, 16] : tensor<16x16xf32>
    %total = scf.for %r = %c0 to %world step %c1 iter_args(%so_far = %zero) -> tensor<16x16xf32> {
      %t = tile.load %sum[%r, %m, %n] tile [16, 16] : memref<?x?x?xf32, #tile.symmetric> -> tensor<16x16xf32>
      %next = arith.addf %so_far, %t : tensor<16x16xf32>
      scf.yield %next : tensor<16x16xf32>
    }
    tile.store %total, %s[%rank, %m, %n] to %p : tensor<16x16xf32>, memref<?x?x?xf32, #tile.symmetric>
  }
  tile.forall (%r, %m, %n) in [W, %N ceildiv 16, %N ceildiv 16] {
    %t = tile.load %s[%r, %m, %n] tile [16, 16] : memref<?x?x?xf32, #tile.symmetric> -> tensor<16x16xf32>
    tile.store %t, %out[%r, %m, %n] : tensor<16x16xf32>, memref<?x?x?xf32>
  }
}
