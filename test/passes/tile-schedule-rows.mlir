// Attention's loop: K and V come through rings, what is computed between the two products stays as it is. Its number of steps depends on the
// task. The slot that the step before has read is filled with what has been fetched, the rows behind are fetched.
// RUN: tilec %S/tile-check-rows.mlir --world 1 --target gfx942 --until=schedule | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: tilec %S/tile-check-rows.mlir --world 1 --target gfx950 --until=schedule | FileCheck %s --check-prefixes=CHECK,TWO
// With 128 columns two slots of both take all of gfx942's LDS. Where there is less, one slot is filled between two meetings.
// RUN: tilec %source/bench/attention/plain.mlir --world 1 --target gfx942 --until=schedule | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: rm -rf %t && mkdir %t && sed 's/"bytes": 65536, "banks"/"bytes": 65520, "banks"/' %source/codegen/targets/gfx942.json > %t/gfx942.json
// RUN: env TILEC_TARGETS=%t tilec %source/bench/attention/plain.mlir --world 1 --target gfx942 --until=schedule | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: env TILEC_TARGETS=%t tilec %source/bench/attention/causal.mlir --world 1 --target gfx942 --until=schedule | FileCheck %s --check-prefixes=CHECK,ONE

// TWO: tile.shared_buffer : memref<2x64x64xbf16
// WIDE: tile.shared_buffer : memref<2x64x128xbf16
// ONE: tile.shared_buffer : memref<1x64x128xbf16
// A matrix of one head, regular down to its last row.
// CHECK: %[[K:.*]] = memref.subview %k[%h, 0, 0]
// CHECK: %[[V:.*]] = memref.subview %v[%h, 0, 0]
// CHECK: tile.regular %[[K]][%{{.*}}, %{{.*}}] tile {{.*}} vector {{[48]}} by_rows
// CHECK: %whole = arith.select
// CHECK: scf.if
// CHECK: tile.fetch %[[K]][%{{.*}}, %{{.*}}] by_rows
// CHECK: tile.fetch %[[V]][%{{.*}}, %{{.*}}] by_rows
// TWO: tile.shared_store
// TWO: tile.shared_store {{.*}}, transposed
// ONE-NOT: tile.shared_store
// TWO: tile.steps %whole slots 2
// ONE: tile.steps %whole slots 1
// CHECK: tile.barrier
// CHECK: tile.shared_store
// CHECK-NEXT: tile.fetch %[[K]][%ahead, %{{.*}}] by_rows
// CHECK-NEXT: tile.shared_store {{.*}}, transposed
// CHECK-NEXT: tile.fetch %[[V]][%ahead, %{{.*}}] by_rows
// ONE-NEXT: tile.barrier
// CHECK: tile.shared_load
// CHECK: tile.dot
// CHECK-NOT: tile.barrier
// CHECK: tile.reduce
// CHECK-NOT: tile.shared_store
// CHECK: tile.shared_load transposed
// CHECK: tile.dot
// CHECK: tile.next
// CHECK: } {tile.rest}
