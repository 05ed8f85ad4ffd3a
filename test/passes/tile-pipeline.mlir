// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=gfx942},tile-layout,tile-stage,tile-pipeline))' | FileCheck %s

// CHECK-LABEL: tile.program @waiting
// CHECK-COUNT-2: tile.shared_buffer : memref<2x64x32xbf16
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: tile.barrier
// CHECK: scf.if
// CHECK:   tile.wait
// CHECK:   tile.load {{.*}} after
// CHECK:   tile.shared_store {{.*}}[%[[FIRST:.*]]]
// CHECK: scf.for %[[K:.*]] = {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[COPY:.*]] = %[[FIRST]])
// CHECK:   tile.barrier
// CHECK-NOT: tile.barrier
// CHECK:   %[[FOLLOWING:.*]] = arith.addi %[[K]], %{{.*}} : index
// CHECK:   %[[MORE:.*]] = arith.cmpi slt, %[[FOLLOWING]]
// CHECK:   %[[PASS:.*]] = arith.select %[[MORE]], %[[FOLLOWING]], %[[K]]
// CHECK:   %[[TOKEN:.*]] = tile.wait system %{{.*}}[%[[PASS]]]
// CHECK:   tile.load {{.*}}%[[PASS]]] {{.*}} after %[[TOKEN]]
// CHECK:   tile.shared_load {{.*}}[%[[COPY]]]
// CHECK:   tile.dot
// CHECK-NOT: scf.if
// CHECK:   tile.shared_store {{.*}}[%[[NEXT:.*]]]
// CHECK:   scf.yield {{.*}}, %[[NEXT]]
tile.program @waiting<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  %sent = tile.signals [%K ceildiv 32] : !tile.signals<1>
  tile.kernel @waiting {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
        %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
          %token = tile.wait system %sent[%k] : !tile.signals<1>
          %ta = tile.load %a[%m, %k] tile [64, 32] after %token : memref<?x?xbf16> -> tensor<64x32xbf16>
          %tb = tile.load %b[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
          scf.yield %next : tensor<64x64xf32>
        }
        %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
        tile.store %out, %c[%m, %n] : tensor<64x64xbf16>, memref<?x?xbf16>
      }
    }
  }
}
