// With granularity `statement` each wait is for all tasks of a statement, which count by chiplet.
// DEFINE: %{passes} = --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-choose{pattern=sequential granularity=statement},tile-expand,tile-fuse,tile-waits,cse,tile-arrivals,tile-tally{target=gfx942},tile-order,tile-verify))'
// RUN: tilec-opt %s %{passes} | FileCheck %s
// One chiplet's units share the cache in which others find what they store, and other granularities leave signals as they are.
// RUN: tilec %source/test/mutation/Inputs/tallied.mlir --world 1 --target sm_90a --pattern sequential --granularity statement --until=tally | FileCheck %s --check-prefix=ONE
// RUN: tilec %source/test/mutation/Inputs/tallied.mlir --world 1 --target gfx942 --pattern sequential --granularity task --until=tally | FileCheck %s --check-prefix=ONE
// ONE-COUNT-2: tile.signals [
// ONE-NOT: by_chiplet
// ONE: tile.wait  agent %combine_done[%first_m, %

// What a task of two tiles waited for is all of them now; and what two loads wait for it waits for once.
// CHECK-LABEL: @sums
// CHECK: %combine_done = tile.signals [%M ceildiv 16] by_chiplet
// CHECK: tile.signal  agent %combine_done[%m] to %rank publishes
// CHECK: tile.role @combine_2
// CHECK: %[[ALL:.*]] = tile.extent [%M ceildiv 16]
// CHECK: %[[TOKEN:.*]] = tile.wait  agent %combine_done[%c0] count[%[[ALL]]]
// CHECK-NOT: tile.wait
// CHECK: tile.load %squares [%{{.*}}, %{{.*}}] tile [16, 64] after %[[TOKEN]]
// CHECK: tile.load %squares [%{{.*}}, %{{.*}}] tile [16, 64] after %[[TOKEN]]
tile.program @sums<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) extents [%a: %M, 64] [%b: %M, 64] {
  %squares = tile.alloc [%M, 64] : memref<?x64xf32>
  tile.forall (%m) in [%M ceildiv 16] {
    %zero = arith.constant 0 : index
    %t = tile.load %a[%m, %zero] tile [16, 64] : memref<?x64xf32> -> tensor<16x64xf32>
    %s = arith.mulf %t, %t : tensor<16x64xf32>
    tile.store %s, %squares[%m, %zero] : tensor<16x64xf32>, memref<?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %one = arith.constant 1 : index
    %first = arith.muli %m, %two : index
    %second = arith.addi %first, %one : index
    %t = tile.load %squares[%first, %zero] tile [16, 64] : memref<?x64xf32> -> tensor<16x64xf32>
    %u = tile.load %squares[%second, %zero] tile [16, 64] : memref<?x64xf32> -> tensor<16x64xf32>
    %s = arith.addf %t, %u : tensor<16x64xf32>
    tile.store %s, %b[%m, %zero] : tensor<16x64xf32>, memref<?x64xf32>
  }
}

// -----

// A task that waits for others of its own loop would wait for itself.
// CHECK-LABEL: @falling
// CHECK-NOT: by_chiplet
// CHECK: tile.wait  agent %{{.*}}[%
tile.program @falling<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) extents [%a: %M, 64] [%b: %M, 64] {
  %kept = tile.alloc [%M, 64] : memref<?x64xf32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  scf.for %step = %zero to %eight step %one {
    tile.forall (%m) in [%M ceildiv 16] {
      %row = arith.constant 0 : index
      %t = tile.load %a[%m, %row] tile [16, 64] : memref<?x64xf32> -> tensor<16x64xf32>
      tile.store %t, %kept[%m, %row] : tensor<16x64xf32>, memref<?x64xf32>
    }
    tile.forall (%m) in [%M ceildiv 32] {
      %row = arith.constant 0 : index
      %t = tile.load %kept[%m, %row] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
      tile.store %t, %b[%m, %row] : tensor<32x64xf32>, memref<?x64xf32>
    }
  }
}

// -----

// Other ranks do not wait by chiplet.
// CHECK-LABEL: @others
// CHECK-NOT: by_chiplet
// CHECK: tile.wait  system
tile.program @others<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) extents [%a: %M, 64] [%b: W * %M, 64] {
  %all = tile.alloc [W * %M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.all_gather %a into %all dim 0 : memref<?x64xf32>, memref<?x64xf32, #tile.symmetric>
  tile.forall (%m) in [W * %M ceildiv 32] {
    %zero = arith.constant 0 : index
    %t = tile.load %all[%m, %zero] tile [32, 64] : memref<?x64xf32, #tile.symmetric> -> tensor<32x64xf32>
    tile.store %t, %b[%m, %zero] : tensor<32x64xf32>, memref<?x64xf32>
  }
}
