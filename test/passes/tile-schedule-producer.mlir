// Waves of their own fill the slots of a streamed product: which kernels get them, and what becomes of the loop.
// RUN: tilec %S/tile-check-producer.mlir --world 1 --target sm_90a --until=schedule | FileCheck %s
// CHECK: tile.kernel @produced attributes {dealing = #tile<dealing strided>
// CHECK-SAME: producer = #tile.producer<waves = 4, registers = 0, consumers = 0>
// CHECK: %empty = tile.empty slots 4
// CHECK: %full = tile.full slots 4
// CHECK: tile.shared_buffer kept : memref<4x128x64xbf16
// CHECK: tile.shared_buffer kept : memref<4x128x64xbf16
// CHECK: scf.if
// CHECK-NOT: tile.barrier
// CHECK: tile.stream %streamed slots 4 ahead 4 empty %empty carries
// CHECK: tile.await_full %full[%slot]
// CHECK: %[[SUMS:.*]] = tile.await_products %{{.*}} left 1
// CHECK: %[[BEFORE:.*]] = arith.subi %k, %{{.*}}
// CHECK-NEXT: tile.release %empty step %[[BEFORE]]
// CHECK-NEXT: tile.next %[[SUMS]]
// CHECK: tile.await_products %{{.*}} left 0
// CHECK: %[[LAST:.*]] = arith.subi %streamed, %{{.*}}
// CHECK-NEXT: tile.release %empty step %[[LAST]]
// CHECK: tile.defer %rounded, %c[%m, %n] through %{{.*}} : tensor<128x128xbf16, {{.*}}>, memref<?x?xbf16>, memref<128x64xbf16

// Large sums take registers from the producer.
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --param BM=128 --param BN=256 --param BK=64 --until=schedule | FileCheck %s --check-prefix=LARGE
// LARGE: producer = #tile.producer<waves = 4, registers = 24, consumers = 240>

// A kernel whose tasks wait has one too: it waits by its wave where it fills, and draws the tasks. The rest of the loop waits for itself.
// RUN: tilec %examples/04_all_gather_matmul/all_gather_matmul.mlir --world 2 --target sm_90a --pattern sequential-push --granularity group-8 --until=schedule | FileCheck %s --check-prefix=WAITS
// WAITS: tile.kernel @all_gather_matmul attributes {producer = #tile.producer<waves = 4, registers = 56, consumers = 224>
// WAITS-NOT: schedule strided
// WAITS: tile.role @multiply
// WAITS-NOT: tile.wait
// WAITS: tile.stream %streamed slots 4 ahead 4 empty %empty carries
// WAITS: %[[NONE:.*]] = tile.join()
// WAITS: %[[ARRIVED:.*]] = scf.if
// WAITS: tile.wait system by wave %send_arrived
// WAITS: scf.yield %[[NONE]]
// WAITS: tile.copy_async %full[%m, %k] -> %full_{{[0-9]+}}[%slot] after %[[ARRIVED]] full
// WAITS: scf.for %k
// WAITS: tile.wait system %send_arrived

// So does one whose roles wait before their tasks, as all waves do there; with one loop the waves part behind that.
// RUN: tilec %examples/07_matmul_all_reduce/matmul_all_reduce.mlir --world 4 --target sm_90a --pattern sequential-push-credits --until=schedule | FileCheck %s --check-prefix=POLLS
// RUN: tilec %examples/07_matmul_all_reduce/matmul_all_reduce.mlir --world 4 --target sm_90a --pattern sequential-push --until=schedule | FileCheck %s --check-prefix=DRAWS
// RUN: tilec %examples/04_all_gather_matmul/all_gather_matmul.mlir --world 4 --target sm_90a --pattern bulk-push --until=schedule | FileCheck %s --check-prefix=LARGE
// POLLS: producer = #tile.producer<waves = 4, registers = 56, consumers = 224>
// DRAWS: producer = #tile.producer<waves = 4, registers = 40, consumers = 232>

// Where tasks wait before the loop, the producer does at its first step, and the others alone where nothing is streamed.
// RUN: tilec %examples/04_all_gather_matmul/all_gather_matmul.mlir --world 2 --target sm_90a --pattern sequential-push --granularity task --until=schedule | FileCheck %s --check-prefix=FIRST
// FIRST: tile.role @multiply
// FIRST-NOT: tile.wait
// FIRST: scf.if
// FIRST: tile.stream
// FIRST: arith.cmpi eq, %k
// FIRST: scf.if
// FIRST: tile.wait system by wave %send_arrived
// FIRST: } else {
// FIRST: tile.copy_async %full[%m, %k]
// FIRST: } else {
// FIRST: tile.wait system %send_arrived
// FIRST: scf.for %k
