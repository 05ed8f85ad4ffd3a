// A task that reads one row of each rank waited for all rows between the first and the last: a decoding step for the slowest head of its neighbours.
// RUN: tilec %s --world 4 --pattern sequential-push --until=waits | FileCheck %s
// RUN: tilec %s --world 4 --pattern sequential-push --granularity shard --until=waits | FileCheck %s --check-prefix=INSIDE
// RUN: tilec %s --world 4 --pattern sequential-push --granularity group-2 --until=waits | FileCheck %s --check-prefix=INSIDE

// RUN: tilec verify %s --world 4 --pattern sequential-push

// One signal for both buffers, and one wait for each rank, for the rows of the task alone.
// CHECK: %combine_arrived = tile.signals [4, %H]
// CHECK-NOT: tile.signals
// CHECK: tile.signal system %combine_arrived[%rank, %h] to %peer publishes
// CHECK-NOT: tile.signal
// CHECK: tile.role @combine_2
// CHECK: %[[TOKENS:.*]] = scf.for %source = %c0 to %world
// CHECK: tile.wait system %combine_arrived[%source, %h]
// CHECK-NOT: tile.wait
// CHECK: tile.load %all_a {{.*}} after %[[TOKENS]] :
// CHECK: tile.load %all_b {{.*}} after %[[TOKENS]] :

// INSIDE: tile.role @combine_2
// INSIDE: scf.for %r =
// INSIDE-NOT: scf.if
// INSIDE: %[[TOKEN:.*]] = tile.wait system %combine_arrived[%r, %h]
// INSIDE-NOT: tile.wait
// INSIDE: tile.load %all_a {{.*}} after %[[TOKEN]]
tile.program @rows<%H>(%a: memref<?x64xf32>, %b: memref<?x64xf32>, %out: memref<?x64xf32>) extents [%a: %H, 64] [%b: %H, 64] [%out: %H, 64] {
  %own_a = tile.alloc [%H, 64] : memref<?x64xf32, #tile.symmetric>
  %own_b = tile.alloc [%H, 64] : memref<?x64xf32, #tile.symmetric>
  %all_a = tile.alloc [W * %H, 64] : memref<?x64xf32, #tile.symmetric>
  %all_b = tile.alloc [W * %H, 64] : memref<?x64xf32, #tile.symmetric>
  %world = tile.world_size
  tile.forall (%h) in [%H] {
    %c0 = arith.constant 0 : index
    %row = tile.load %a[%h, %c0] tile [64] : memref<?x64xf32> -> tensor<64xf32>
    %one = tile.load %b[%h, %c0] tile [64] : memref<?x64xf32> -> tensor<64xf32>
    %twice = arith.addf %row, %row : tensor<64xf32>
    %two = arith.addf %one, %one : tensor<64xf32>
    tile.store %twice, %own_a[%h, %c0] : tensor<64xf32>, memref<?x64xf32, #tile.symmetric>
    tile.store %two, %own_b[%h, %c0] : tensor<64xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.all_gather %own_a into %all_a dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.all_gather %own_b into %all_b dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.forall (%h) in [%H] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = tile.splat 0.0 [64] : tensor<64xf32>
    %sum = scf.for %r = %c0 to %world step %c1 iter_args(%s = %none) -> (tensor<64xf32>) {
      %before = arith.muli %r, %H : index
      %at = arith.addi %before, %h : index
      %row = tile.load %all_a[%at, %c0] tile [64] : memref<?x64xf32, #tile.symmetric> -> tensor<64xf32>
      %one = tile.load %all_b[%at, %c0] tile [64] : memref<?x64xf32, #tile.symmetric> -> tensor<64xf32>
      %weighted = arith.mulf %row, %one : tensor<64xf32>
      %next = arith.addf %s, %weighted : tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    }
    tile.store %sum, %out[%h, %c0] : tensor<64xf32>, memref<?x64xf32>
  }
}
