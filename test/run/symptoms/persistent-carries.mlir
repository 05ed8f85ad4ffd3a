// RUN: tilec run %s --world 3 --pattern bulk --launches 6 --extents-from 1,40,100 --shuffle --seeds 2 --memory weak --race
// RUN: tilec run %s --world 3 --pattern sequential-push --launches 6 --extents-from 1,40,100 --shuffle --seeds 3 --memory weak --race --skewed
// RUN: tilec run %s --world 2 --pattern specialized-push --launches 6 --extents-from 0,40,100 --shuffle --seeds 3 --memory weak --race --skewed
// RUN: tilec %s --world 2 -o %t && tilec verify --manifest %t/carries.json && FileCheck %s --check-prefix=TEXT < %t/carries.hip

// Persistent scratch was undefined before its first store of each launch, so that nothing could be carried. It begins
// as zero; rows keep their place when extents change.
// TEXT: tilec::view({{.*}}, {M, N}, {max_N, 1})
tile.program @carries<%M, %N>(%a: memref<?x?xf32>, %sums: memref<?x?xf32>, %seen: memref<?x?xf32>)
    extents [%a: %M, %N] [%sums: %M, %N] [%seen: %M, %N] {
  %sum = tile.alloc persistent [%M, %N] : memref<?x?xf32>
  %inbox = tile.alloc persistent [%M, %N] : memref<?x?xf32, #tile.symmetric>
  %rank = tile.rank
  %world = tile.world_size
  %one = arith.constant 1 : index
  %moved = arith.addi %rank, %one : index
  %next = arith.remui %moved, %world : index
  // What the rank before has left in the launch before, then the sum of all launches so far goes on to the next rank.
  tile.forall (%m, %n) over %a tiles [16, 32] : memref<?x?xf32> {
    %t = tile.load %inbox[%m, %n] tile [16, 32] : memref<?x?xf32, #tile.symmetric> -> tensor<16x32xf32>
    tile.store %t, %seen[%m, %n] : tensor<16x32xf32>, memref<?x?xf32>
    %u = tile.load %a[%m, %n] tile [16, 32] : memref<?x?xf32> -> tensor<16x32xf32>
    %s = tile.load %sum[%m, %n] tile [16, 32] : memref<?x?xf32> -> tensor<16x32xf32>
    %v = arith.addf %s, %u : tensor<16x32xf32>
    tile.store %v, %sum[%m, %n] : tensor<16x32xf32>, memref<?x?xf32>
    tile.store %v, %sums[%m, %n] : tensor<16x32xf32>, memref<?x?xf32>
  }
  tile.forall (%m, %n) over %a tiles [16, 32] : memref<?x?xf32> {
    %s = tile.load %sum[%m, %n] tile [16, 32] : memref<?x?xf32> -> tensor<16x32xf32>
    tile.store %s, %inbox[%m, %n] to %next : tensor<16x32xf32>, memref<?x?xf32, #tile.symmetric>
  }
}
