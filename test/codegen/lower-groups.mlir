// Groups of workgroups: the pool stands where its first role stands; who has finished goes on to later groups.
// RUN: tilec-opt %s --tile-lower | FileCheck %s

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>

// CHECK-LABEL: hip.kernel @groups_kernel
tile.program @groups<%M>(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) world 1 extents [%a: %M] [%b: %M] [%c: %M] {
  %entered = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @groups attributes {waves = 1 : i64} {
    // CHECK: hip.group first
    // CHECK: hip.role @enter
    // CHECK: hip.signal
    tile.role @enter first {
      tile.signal agent %entered[%zero] to %zero : !tile.signals<1>
    }
    // CHECK: hip.group each %{{.*}} on 8 workgroups queue 0 below %
    // CHECK: hip.role @send attributes {tasks = #[[TASKS:.*]]}
    tile.role @send on 8 workgroups {
      tile.forall (%m) in [%M ceildiv 64] {
        %t = tile.load %a[%m] tile [64] : memref<?xf32> -> tensor<64xf32, #row>
        tile.store %t, %b[%m] : tensor<64xf32, #row>, memref<?xf32>
      }
    }
    // Where the tasks of one role end those of the next begin: that is known before both.
    // CHECK: hip.group each %{{.*}} queue 1 {
    // CHECK: %[[END:.*]] = arith.divsi
    // CHECK: hip.role @first_of_pool
    // CHECK: hip.tasks below %[[END]]
    // CHECK: hip.role @second_of_pool
    // CHECK: %[[BOTH:.*]] = arith.addi %[[END]]
    // CHECK: hip.tasks below %[[BOTH]]
    // CHECK: hip.group last %{{.*}} releases agent
    // CHECK-NEXT: hip.leave {{.*}}advance = true
    tile.role @first_of_pool {
      tile.forall (%m) in [%M ceildiv 64] order [#tile.remap<8>] {
        %t = tile.load %a[%m] tile [64] : memref<?xf32> -> tensor<64xf32, #row>
        tile.atomic add %t, %c[%m] : tensor<64xf32, #row>, memref<?xf32>
      }
    }
    tile.role @second_of_pool {
      tile.forall (%m) in [%M ceildiv 64] {
        %t = tile.load %a[%m] tile [64] : memref<?xf32> -> tensor<64xf32, #row>
        tile.atomic add %t, %c[%m] : tensor<64xf32, #row>, memref<?xf32>
      }
    }
  }
}
