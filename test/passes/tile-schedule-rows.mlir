// Attention's loop: K and V come through rings. Its number of steps depends on the task. The first product of a step, and the maxima of its rows,
// are those of the step behind: its keys are a step ahead. Slots are filled with what has been fetched in the places of that product.
// RUN: tilec %S/tile-check-rows.mlir --world 1 --target gfx942 --until=schedule | FileCheck %s --check-prefixes=CHECK,TWO
// Where copies pass no register slots hold rows of both as they lie in memory: lanes turn those of V as they read them. The copies stand in the places
// of the first product.
// RUN: tilec %S/tile-check-rows.mlir --world 1 --target gfx950 --until=schedule | FileCheck %s --check-prefix=PAST
// RUN: tilec %source/bench/attention/causal.mlir --world 1 --target gfx950 --param BM=128,BN=64 --until=schedule | FileCheck %s --check-prefix=PAST
// RUN: tilec %S/tile-check-rows.mlir --world 1 --target gfx950 --until=pipeline | FileCheck %s --check-prefix=COUNTED
// COUNTED: tile.await left {{[1-9]}}
// COUNTED: tile.steps %whole slots 2
// COUNTED: tile.await left 0
// COUNTED: tile.await left 0
// Without such copies they go through registers there too.
// RUN: rm -rf %t && mkdir %t && sed 's/"direct_bytes": 16/"direct_bytes": 4/' %source/codegen/targets/gfx950.json > %t/gfx950.json
// RUN: env TILEC_TARGETS=%t tilec %S/tile-check-rows.mlir --world 1 --target gfx950 --until=schedule | FileCheck %s --check-prefixes=CHECK,TWO
// With 128 columns two slots of both take all of gfx942's LDS. Where there is less, one slot is filled between two meetings.
// RUN: tilec %source/bench/attention/plain.mlir --world 1 --target gfx942 --until=schedule | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: rm -rf %t && mkdir %t && sed 's/"bytes": 65536, "banks"/"bytes": 65520, "banks"/' %source/codegen/targets/gfx942.json > %t/gfx942.json
// RUN: env TILEC_TARGETS=%t tilec %source/bench/attention/plain.mlir --world 1 --target gfx942 --param BM=128,BN=64 --until=schedule | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: env TILEC_TARGETS=%t tilec %source/bench/attention/causal.mlir --world 1 --target gfx942 --param BM=128,BN=64 --until=schedule | FileCheck %s --check-prefixes=CHECK,ONE

// Where a lane would hold too much beside a second tile of scores, a step does its own first product.
// RUN: tilec %source/bench/attention/plain.mlir --world 1 --target gfx950 --param BM=256,BN=64 --until=schedule | FileCheck %s --check-prefix=OWN
// OWN: tile.steps %whole slots 2
// OWN: tile.shared_load %{{.*}}[%slot]
// OWN-NEXT: tile.places
// OWN: tile.reduce maximum
// OWN: tile.shared_load %{{.*}}[%slot]
// OWN-NEXT: tile.dot
// OWN-NEXT: tile.next
// A carried value that needs more than the first product and itself stays with the step: here the maxima, of scores that a mask has replaced.
// RUN: sed 's/%%largest = tile.reduce maximum %%dots/%%masked = arith.maximumf %%dots, %%no_scores : tensor<?x?xf32>\n      %%largest = tile.reduce maximum %%masked/' %source/bench/attention/plain.mlir > %t/masked.mlir
// RUN: tilec %t/masked.mlir --world 1 --target gfx942 --param BM=128,BN=64 --until=schedule | FileCheck %s --check-prefix=MASKED
// MASKED: tile.steps %whole slots 2
// MASKED: tile.shared_load %{{.*}}[%next]
// MASKED-NEXT: tile.places
// MASKED: arith.maximumf
// MASKED: tile.reduce maximum
// MASKED: tile.shared_load transposed %{{.*}}[%slot]
// MASKED-NEXT: %{{.*}} = tile.dot
// MASKED-NEXT: tile.next

// TWO: tile.shared_buffer : memref<2x64x{{64|128}}xbf16
// ONE: tile.shared_buffer : memref<1x64x128xbf16
// A matrix of one head, regular down to its last row.
// CHECK: %[[K:.*]] = memref.subview %k[%h, 0, 0]
// CHECK: %[[V:.*]] = memref.subview %v[%h, 0, 0]
// CHECK: tile.regular %[[K]][%{{.*}}, %{{.*}}] tile {{.*}} vector {{[48]}} by_rows
// CHECK: %whole = arith.select
// CHECK: scf.if
// CHECK: tile.fetch %[[K]][%{{.*}}, %{{.*}}] by_rows
// CHECK: tile.fetch %[[V]][%{{.*}}, %{{.*}}] by_rows
// TWO-COUNT-2: tile.shared_store %{{.*}}, %[[KEYS:k.*]][
// TWO: tile.shared_store {{.*}}, transposed %[[VALUES:v.*]][
// TWO: tile.barrier
// TWO: %[[READ:.*]] = tile.shared_load %[[KEYS]][%c0
// TWO-NEXT: %[[SCORES:.*]] = tile.dot %{{.*}}, transpose %[[READ]]
// TWO: tile.reduce maximum %[[SCORES]]
// TWO: %[[M1:m1.*]] = arith.maximumf
// ONE-NOT: tile.shared_store
// TWO: tile.steps %whole slots 2 carries({{.*}}, %[[SCORES]], %[[M1]], %{{.*}}, %{{.*}} :
// ONE: tile.steps %whole slots 1
// CHECK: tile.barrier
// TWO: tile.shared_load %[[KEYS]][%next]
// TWO-NEXT: tile.places
// TWO-NEXT: %[[DOT:.*]] = tile.dot
// TWO-NEXT: tile.shared_store %{{.*}}, %[[KEYS]][%slot]
// TWO-NEXT: tile.fetch %[[K]][%ahead, %{{.*}}] by_rows
// TWO-NEXT: tile.shared_store {{.*}}, transposed %[[VALUES]][%next]
// TWO-NEXT: tile.fetch %[[V]][%ahead{{_[0-9]+}}, %{{.*}}] by_rows
// TWO-NEXT: tile.placed %[[DOT]],
// ONE: tile.shared_store
// ONE-NEXT: tile.fetch %[[K]][%ahead, %{{.*}}] by_rows
// ONE-NEXT: tile.shared_store {{.*}}, transposed
// ONE-NEXT: tile.fetch %[[V]][%ahead, %{{.*}}] by_rows
// ONE-NEXT: tile.barrier
// ONE: tile.shared_load
// ONE-NEXT: tile.dot
// ONE: tile.reduce maximum
// CHECK: math.exp2
// CHECK-NOT: tile.shared_store
// TWO: tile.shared_load transposed %[[VALUES]][%slot]
// ONE: tile.shared_load transposed
// CHECK-NEXT: tile.dot
// Behind the step's own products the maxima of the next one's.
// TWO-NEXT: tile.reduce maximum
// CHECK: tile.next
// CHECK: } {tile.rest}

// PAST: tile.shared_buffer : memref<2x64x[[WIDTH:64|128]]xbf16, #tile.shared<8, 1, {{8|16}}>>
// PAST: tile.shared_buffer : memref<2x64x[[WIDTH]]xbf16, #tile.shared<{{16, 2, 4|32, 1, 4}}>>
// PAST: %whole = arith.select
// PAST-COUNT-3: tile.copy_async {{.*}} by_rows ->
// PAST-NOT: tile.copy_async
// PAST: tile.await{{$}}
// PAST-NEXT: tile.meet
// PAST: tile.dot
// PAST: tile.reduce maximum
// PAST: tile.steps %whole slots 2
// PAST: tile.await{{$}}
// PAST-NEXT: tile.meet
// PAST: %next = arith.remsi
// PAST: %ahead = arith.minsi
// PAST: tile.shared_load %
// PAST-NEXT: tile.places
// PAST-NEXT: tile.dot
// PAST-NEXT: tile.copy_async {{.*}}[%ahead, %{{.*}}] by_rows -> %{{.*}}[%slot]
// PAST-NEXT: tile.copy_async {{.*}}[%ahead{{_[0-9]+}}, %{{.*}}] by_rows -> %{{.*}}[%next]
// PAST: tile.placed
// PAST-NOT: tile.barrier
// PAST: tile.shared_load %
// PAST-NEXT: tile.dot
// PAST: tile.next
// PAST: tile.await left 0
// PAST: } {tile.rest}
