// Attention's loop: K and V come through rings, what is computed between the two products stays as it is. Its number of steps depends on the
// task. The slot that the step before has read is filled with what has been fetched, the rows behind are fetched.
// RUN: tilec %S/tile-check-rows.mlir --world 1 --target gfx942 --until=schedule | FileCheck %s --check-prefixes=CHECK,TWO
// Where copies pass no register slots hold rows of both as they lie in memory: lanes turn those of V as they read them. The copies stand in the places
// of the first product.
// RUN: tilec %S/tile-check-rows.mlir --world 1 --target gfx950 --until=schedule | FileCheck %s --check-prefix=PAST
// RUN: tilec %source/bench/attention/causal.mlir --world 1 --target gfx950 --until=schedule | FileCheck %s --check-prefix=PAST
// Without such copies they go through registers there too.
// RUN: rm -rf %t && mkdir %t && sed 's/"direct_bytes": 16/"direct_bytes": 4/' %source/codegen/targets/gfx950.json > %t/gfx950.json
// RUN: env TILEC_TARGETS=%t tilec %S/tile-check-rows.mlir --world 1 --target gfx950 --until=schedule | FileCheck %s --check-prefixes=CHECK,TWO
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

// PAST: tile.shared_buffer : memref<2x64x[[WIDTH:64|128]]xbf16, #tile.shared<8, 1, {{8|16}}>>
// PAST: tile.shared_buffer : memref<2x64x[[WIDTH]]xbf16, #tile.shared<{{16, 2, 4|32, 1, 4}}>>
// PAST: %whole = arith.select
// PAST-COUNT-2: tile.copy_async {{.*}} by_rows ->
// PAST-NOT: tile.copy_async
// PAST: tile.steps %whole slots 2
// PAST: tile.await left 0
// PAST-NEXT: tile.meet
// PAST: %next = arith.remsi
// PAST: %ahead = arith.minsi
// PAST: tile.shared_load %
// PAST-NEXT: tile.places
// PAST-NEXT: tile.dot
// PAST-COUNT-2: tile.copy_async {{.*}}[%ahead, %{{.*}}] by_rows -> %{{.*}}[%next]
// PAST: tile.placed
// PAST-NOT: tile.barrier
// PAST: tile.shared_load %
// PAST-NEXT: tile.dot
// PAST: tile.next
// PAST: tile.await left 0
// PAST: } {tile.rest}
