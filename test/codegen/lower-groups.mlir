// Groups of workgroups: the pool stands where its first role stands; who has finished goes on to later groups.
// RUN: tilec-opt %s --tile-lower | FileCheck %s

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>

// CHECK-LABEL: hip.kernel @groups_kernel
tile.program @groups<%M>(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) world 1 extents [%a: %M] [%b: %M] [%c: %M] {
  %entered = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @groups attributes {waves = 1 : i64} {
    // CHECK: %[[WORKER:.*]] = hip.worker
    // CHECK: arith.cmpi eq, %[[WORKER]]
    // CHECK: hip.signal
    tile.role @enter first {
      tile.signal agent %entered[%zero] to %zero : !tile.signals<1>
    }
    // CHECK: hip.worker
    // CHECK: arith.cmpi slt
    // CHECK: scf.if
    // CHECK: hip.queue %{{.*}} 0
    tile.role @send on 8 workgroups {
      tile.forall (%m) in [%M ceildiv 64] {
        %t = tile.load %a[%m] tile [64] : memref<?xf32> -> tensor<64xf32, #row>
        tile.store %t, %b[%m] : tensor<64xf32, #row>, memref<?xf32>
      }
    }
    // CHECK: hip.queue %{{.*}} 1
    // CHECK-NOT: hip.queue
    tile.role @first_of_pool {
      tile.forall (%m) in [%M ceildiv 64] order [#tile.remap<8>] {
        // CHECK: hip.remap_xcd
        %t = tile.load %a[%m] tile [64] : memref<?xf32> -> tensor<64xf32, #row>
        tile.atomic add %t, %c[%m] : tensor<64xf32, #row>, memref<?xf32>
        // CHECK: hip.atomic {{.*}}agent
      }
    }
    tile.role @second_of_pool {
      tile.forall (%m) in [%M ceildiv 64] {
        %t = tile.load %a[%m] tile [64] : memref<?xf32> -> tensor<64xf32, #row>
        tile.atomic add %t, %c[%m] : tensor<64xf32, #row>, memref<?xf32>
      }
    }
    // CHECK: hip.last
    // CHECK: hip.leave {{.*}}advance = true
  }
}
