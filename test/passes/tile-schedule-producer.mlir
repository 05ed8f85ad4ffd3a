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
// CHECK: tile.rearrange %rounded, %{{.*}} : tensor<128x128xbf16, {{.*}}>, memref<128x64xbf16

// Large sums take registers from the producer.
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --param BM=128 --param BN=256 --param BK=64 --until=schedule | FileCheck %s --check-prefix=LARGE
// LARGE: producer = #tile.producer<waves = 4, registers = 24, consumers = 240>

// A kernel whose tasks wait has none: all waves of the workgroup meet there.
// RUN: tilec %examples/04_all_gather_matmul/all_gather_matmul.mlir --world 2 --target sm_90a --until=schedule | FileCheck %s --check-prefix=WAITS
// WAITS-NOT: #tile.producer
