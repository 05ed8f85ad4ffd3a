// RUN: tilec %s --world 2 --until=waits | FileCheck %s
// RUN: tilec verify %s --world 2 | FileCheck %s --check-prefix=VERIFY
// RUN: tilec run %s --world 2 --units 1 --resident 1 --launches 2

// A step draws its tasks in the order that the author gave, and the next step's tasks follow. `rank_first` turned the steps, so that one began with the last
// and waited for those before it, and `remap` dealt out all tasks of all steps: a single resident workgroup hung.
// VERIFY: @turned: {{.*}}kernel @turned{{.*}}: progress any
// VERIFY-NOT: resident
// CHECK: tile.role @combine
// CHECK: tile.forall (%s, %p, %i) in [%T, 2, %M ceildiv 16] order [#tile.rank_first<1>]
tile.program @turned<%M, %T>(%x: memref<?x?xf32>) extents [%x: 2, %M] {
  %u = tile.alloc [2, 2, %M] : memref<2x2x?xf32, #tile.symmetric>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rank = tile.rank
  %world = tile.world_size
  %ahead = arith.addi %rank, %c1 : index
  %next = arith.remui %ahead, %world : index
  tile.forall (%b, %p, %i) in [2, 2, %M ceildiv 16] {
    %t = tile.load %x[%p, %i] tile [16] : memref<?x?xf32> -> tensor<16xf32>
    tile.store %t, %u[%b, %p, %i] : tensor<16xf32>, memref<2x2x?xf32, #tile.symmetric>
  }
  scf.for %s = %c0 to %T step %c1 {
    %now = arith.remui %s, %c2 : index
    %after = arith.addi %s, %c1 : index
    %then = arith.remui %after, %c2 : index
    tile.forall (%p, %i) in [2, %M ceildiv 16] order [#tile.remap<8>, #tile.rank_first<0>] {
      %t = tile.load %u[%now, %p, %i] tile [16] : memref<2x2x?xf32, #tile.symmetric> -> tensor<16xf32>
      %more = arith.addf %t, %t : tensor<16xf32>
      tile.store %more, %u[%then, %p, %i] to %next : tensor<16xf32>, memref<2x2x?xf32, #tile.symmetric>
    }
  }
  %end = arith.remui %T, %c2 : index
  tile.forall (%p, %i) in [2, %M ceildiv 16] {
    %t = tile.load %u[%end, %p, %i] tile [16] : memref<2x2x?xf32, #tile.symmetric> -> tensor<16xf32>
    tile.store %t, %x[%p, %i] : tensor<16xf32>, memref<?x?xf32>
  }
}
