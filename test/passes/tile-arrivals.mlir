// Tasks that wait for several of an earlier role are done by the last of these.
// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-choose{pattern=sequential-push granularity=task},tile-expand,tile-fuse,tile-waits,cse,tile-arrivals))' | FileCheck %s
// RUN: tilec-opt %s --split-input-file --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-choose{pattern=sequential-push granularity=task},tile-expand,tile-fuse,tile-waits,cse,tile-arrivals,tile-verify))' -o /dev/null

// Four parts are added up. The grid has a word for each sum.
// CHECK-LABEL: @sums
// CHECK-NOT: combine_done
// CHECK: %combine_arrivals = tile.signals [%M ceildiv 64]
// CHECK: tile.role @combine {
// CHECK: tile.forall (%p, %m) in [4, %M ceildiv 64]
// CHECK: %[[STORED:.*]] = tile.store %{{.*}}, %parts [%p, %m, %{{.*}}]
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: %last, %[[ALL:.*]] = tile.arrive %combine_arrivals[%m] of %[[FOUR]] publishes %[[STORED]] : <1>
// CHECK-NEXT: scf.if %last {
// CHECK-COUNT-4: tile.load %parts [%{{.*}}, %m, %{{.*}}] tile [64, 64] after %[[ALL]]
// CHECK: tile.store %{{.*}}, %c [%m, %{{.*}}]
// CHECK-NOT: tile.role @combine_2
tile.program @sums<%M>(%a: memref<4x?x64xf32>, %c: memref<?x64xf32>) extents [%a: 4, %M, 64] [%c: %M, 64] {
  %parts = tile.alloc [4, %M, 64] : memref<4x?x64xf32>
  tile.forall (%p, %m) in [4, %M ceildiv 64] {
    %zero = arith.constant 0 : index
    %t = tile.load %a[%p, %m, %zero] tile [64, 64] : memref<4x?x64xf32> -> tensor<64x64xf32>
    %u = arith.mulf %t, %t : tensor<64x64xf32>
    tile.store %u, %parts[%p, %m, %zero] : tensor<64x64xf32>, memref<4x?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 64] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    %t = tile.load %parts[%zero, %m, %zero] tile [64, 64] : memref<4x?x64xf32> -> tensor<64x64xf32>
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %u = tile.load %parts[%one, %m, %zero] tile [64, 64] : memref<4x?x64xf32> -> tensor<64x64xf32>
    %v = tile.load %parts[%two, %m, %zero] tile [64, 64] : memref<4x?x64xf32> -> tensor<64x64xf32>
    %w = tile.load %parts[%three, %m, %zero] tile [64, 64] : memref<4x?x64xf32> -> tensor<64x64xf32>
    %x = arith.addf %t, %u : tensor<64x64xf32>
    %y = arith.addf %v, %w : tensor<64x64xf32>
    %s = arith.addf %x, %y : tensor<64x64xf32>
    tile.store %s, %c[%m, %zero] : tensor<64x64xf32>, memref<?x64xf32>
  }
}

// -----

// In a loop over the parts; who waits for what the last has made waits for a signal of it.
// CHECK-LABEL: @in_a_loop
// CHECK: tile.arrive %combine_arrivals[%m]
// CHECK-NEXT: scf.if %last {
// CHECK: scf.for
// CHECK-NOT: tile.wait
// CHECK: %[[SUM:.*]] = tile.store %s, %sum
// CHECK: tile.signal {{ *}}agent %combine_2_done[%m] to %rank publishes %[[SUM]]
// CHECK: tile.role @combine_3
// CHECK: tile.wait {{ *}}agent %combine_2_done[%m]
tile.program @in_a_loop<%M>(%a: memref<3x?x64xf32>, %c: memref<?x64xf32>) extents [%a: 3, %M, 64] [%c: %M, 64] {
  %parts = tile.alloc [3, %M, 64] : memref<3x?x64xf32>
  %sum = tile.alloc [%M, 64] : memref<?x64xf32>
  tile.forall (%p, %m) in [3, %M ceildiv 64] {
    %zero = arith.constant 0 : index
    %t = tile.load %a[%p, %m, %zero] tile [64, 64] : memref<3x?x64xf32> -> tensor<64x64xf32>
    %u = arith.mulf %t, %t : tensor<64x64xf32>
    tile.store %u, %parts[%p, %m, %zero] : tensor<64x64xf32>, memref<3x?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 64] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %three = arith.constant 3 : index
    %none = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
    %s = scf.for %p = %zero to %three step %one iter_args(%all = %none) -> (tensor<64x64xf32>) {
      %t = tile.load %parts[%p, %m, %zero] tile [64, 64] : memref<3x?x64xf32> -> tensor<64x64xf32>
      %more = arith.addf %all, %t : tensor<64x64xf32>
      scf.yield %more : tensor<64x64xf32>
    }
    tile.store %s, %sum[%m, %zero] : tensor<64x64xf32>, memref<?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 64] {
    %zero = arith.constant 0 : index
    %t = tile.load %sum[%m, %zero] tile [64, 64] : memref<?x64xf32> -> tensor<64x64xf32>
    %u = arith.addf %t, %t : tensor<64x64xf32>
    tile.store %u, %c[%m, %zero] : tensor<64x64xf32>, memref<?x64xf32>
  }
}

// -----

// Not where each waits for one, nor where a number of tasks is none: with %N = 0 the second loop still has tasks.
// CHECK-LABEL: @one_each
// CHECK-NOT: tile.arrive
tile.program @one_each<%M, %N>(%a: memref<?x?xf32>, %c: memref<?x64xf32>) extents [%a: %M, %N] [%c: %M, 64] {
  %s = tile.alloc [%M, %N] : memref<?x?xf32>
  %t = tile.alloc [%M, 64] : memref<?x64xf32>
  tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
    %x = tile.load %a[%m, %n] tile [64, 64] : memref<?x?xf32> -> tensor<64x64xf32>
    tile.store %x, %s[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
  }
  tile.forall (%m) in [%M ceildiv 64] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %none = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
    %steps = tile.extent [%N ceildiv 64]
    %sum = scf.for %n = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<64x64xf32>) {
      %x = tile.load %s[%m, %n] tile [64, 64] : memref<?x?xf32> -> tensor<64x64xf32>
      %more = arith.addf %sum, %x : tensor<64x64xf32>
      scf.yield %more : tensor<64x64xf32>
    }
    tile.store %sum, %t[%m, %zero] : tensor<64x64xf32>, memref<?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 64] {
    %zero = arith.constant 0 : index
    %x = tile.load %t[%m, %zero] tile [64, 64] : memref<?x64xf32> -> tensor<64x64xf32>
    %y = arith.addf %x, %x : tensor<64x64xf32>
    tile.store %y, %c[%m, %zero] : tensor<64x64xf32>, memref<?x64xf32>
  }
}

// -----

// Nor where the later tasks wait for something else too: another rank's.
// CHECK-LABEL: @of_others
// CHECK-NOT: tile.arrive
tile.program @of_others<%M>(%a: memref<2x?x64xf32>, %c: memref<?x64xf32>) extents [%a: 2, %M, 64] [%c: %M, 64] {
  %parts = tile.alloc [2, %M, 64] : memref<2x?x64xf32>
  %inbox = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  %rank = tile.rank
  %unit = arith.constant 1 : index
  %world = tile.world_size
  %after = arith.addi %rank, %unit : index
  %next = arith.remui %after, %world : index
  tile.forall (%m) in [%M ceildiv 64] {
    %zero = arith.constant 0 : index
    %t = tile.load %a[%zero, %m, %zero] tile [64, 64] : memref<2x?x64xf32> -> tensor<64x64xf32>
    tile.store %t, %inbox[%m, %zero] to %next : tensor<64x64xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.forall (%p, %m) in [2, %M ceildiv 64] {
    %zero = arith.constant 0 : index
    %t = tile.load %a[%p, %m, %zero] tile [64, 64] : memref<2x?x64xf32> -> tensor<64x64xf32>
    %u = arith.mulf %t, %t : tensor<64x64xf32>
    tile.store %u, %parts[%p, %m, %zero] : tensor<64x64xf32>, memref<2x?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 64] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %t = tile.load %parts[%zero, %m, %zero] tile [64, 64] : memref<2x?x64xf32> -> tensor<64x64xf32>
    %u = tile.load %parts[%one, %m, %zero] tile [64, 64] : memref<2x?x64xf32> -> tensor<64x64xf32>
    %v = tile.load %inbox[%m, %zero] tile [64, 64] : memref<?x64xf32, #tile.symmetric> -> tensor<64x64xf32>
    %x = arith.addf %t, %u : tensor<64x64xf32>
    %s = arith.addf %x, %v : tensor<64x64xf32>
    tile.store %s, %c[%m, %zero] : tensor<64x64xf32>, memref<?x64xf32>
  }
}

// -----

// Workgroups of its own that a role has do so too, where the others have tasks meanwhile.
// CHECK-LABEL: @beside_others
// CHECK: tile.role @combine on 8 workgroups {
// CHECK: tile.arrive %combine_arrivals[%m]
// CHECK-NOT: tile.role @combine_2
// CHECK: tile.role @combine_3 {
tile.program @beside_others<%M>(%a: memref<4x?x64xf32>, %c: memref<?x64xf32>, %d: memref<?x64xf32>) extents [%a: 4, %M, 64] [%c: %M, 64] [%d: %M, 64] {
  %parts = tile.alloc [4, %M, 64] : memref<4x?x64xf32>
  tile.forall (%p, %m) in [4, %M ceildiv 64] on 8 workgroups {
    %zero = arith.constant 0 : index
    %t = tile.load %a[%p, %m, %zero] tile [64, 64] : memref<4x?x64xf32> -> tensor<64x64xf32>
    %u = arith.mulf %t, %t : tensor<64x64xf32>
    tile.store %u, %parts[%p, %m, %zero] : tensor<64x64xf32>, memref<4x?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 64] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %t = tile.load %parts[%zero, %m, %zero] tile [64, 64] : memref<4x?x64xf32> -> tensor<64x64xf32>
    %u = tile.load %parts[%one, %m, %zero] tile [64, 64] : memref<4x?x64xf32> -> tensor<64x64xf32>
    %s = arith.addf %t, %u : tensor<64x64xf32>
    tile.store %s, %c[%m, %zero] : tensor<64x64xf32>, memref<?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 64] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %t = tile.load %a[%one, %m, %zero] tile [64, 64] : memref<4x?x64xf32> -> tensor<64x64xf32>
    %u = arith.mulf %t, %t : tensor<64x64xf32>
    tile.store %u, %d[%m, %zero] : tensor<64x64xf32>, memref<?x64xf32>
  }
}

// -----

// Not where they would have nothing to do.
// CHECK-LABEL: @beside_nothing
// CHECK: tile.role @combine on 8 workgroups {
// CHECK-NOT: tile.arrive
// CHECK: tile.role @combine_2 {
// CHECK: tile.wait
tile.program @beside_nothing<%M>(%a: memref<4x?x64xf32>, %c: memref<?x64xf32>) extents [%a: 4, %M, 64] [%c: %M, 64] {
  %parts = tile.alloc [4, %M, 64] : memref<4x?x64xf32>
  tile.forall (%p, %m) in [4, %M ceildiv 64] on 8 workgroups {
    %zero = arith.constant 0 : index
    %t = tile.load %a[%p, %m, %zero] tile [64, 64] : memref<4x?x64xf32> -> tensor<64x64xf32>
    %u = arith.mulf %t, %t : tensor<64x64xf32>
    tile.store %u, %parts[%p, %m, %zero] : tensor<64x64xf32>, memref<4x?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 64] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %t = tile.load %parts[%zero, %m, %zero] tile [64, 64] : memref<4x?x64xf32> -> tensor<64x64xf32>
    %u = tile.load %parts[%one, %m, %zero] tile [64, 64] : memref<4x?x64xf32> -> tensor<64x64xf32>
    %s = arith.addf %t, %u : tensor<64x64xf32>
    tile.store %s, %c[%m, %zero] : tensor<64x64xf32>, memref<?x64xf32>
  }
}
