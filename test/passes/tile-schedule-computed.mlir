// A streamed loop whose steps compute with their products: what is loaded beside the slots is loaded a step ahead, products that begin at zero
// share their registers, and a slot is free when the last product of its step is over.
// RUN: tilec %source/bench/gpu/matmul_block_fp8.mlir --world 1 --target sm_90a --param BM=128 --until=schedule | FileCheck %s
// CHECK: tile.kernel @matmul_block_fp8 attributes {dealing = #tile<dealing strided>
// CHECK-SAME: producer = #tile.producer<waves = 4, registers = 24, consumers = 240>
// CHECK: scf.if
// CHECK: %[[FIRST:.*]] = tile.load %row_scales
// CHECK: tile.stream %streamed slots 4 ahead 4 empty %empty carries(
// CHECK: } uses {
// CHECK-NEXT: (%k: index, %slot: index, %sums0: {{.*}}, %sums1: {{.*}}, %by_row0{{.*}}, %by_row1{{.*}}, %by_block{{.*}}, %[[REGISTERS:product[_0-9]*]]: tensor<128x128xf32, #{{.*}}>):
// CHECK-NEXT: tile.await_full %full[%slot]
// CHECK: %[[P0:.*]] = tile.dot_async %{{.*}}[%slot], transpose %[[W:.*]][%slot], replaces %[[REGISTERS]] {
// CHECK: arith.minsi
// CHECK: tile.load %row_scales [%next, %m0]
// CHECK: tile.load %row_scales [%next, %m1]
// CHECK: tile.load %block_scales [%n, %next]
// CHECK: %[[S0:.*]] = tile.await_products %[[P0]] left 0
// CHECK: arith.addf %sums0
// CHECK: %[[P1:.*]] = tile.dot_async %{{.*}}[%slot], transpose %[[W]][%slot], replaces %[[S0]] {
// CHECK-NEXT: %[[S1:.*]] = tile.await_products %[[P1]] left 0
// CHECK-NEXT: tile.release %empty step %k
// CHECK: arith.addf %sums1
// CHECK-NOT: tile.await_products
// CHECK-NOT: tile.release
// CHECK: tile.next {{.*}}, %[[S1]] :

// Views that the engine cannot read: whole steps, each product in parts as thin as an instruction.
// CHECK: %{{.*}} = scf.for %k = %streamed to
// CHECK: %[[PART:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}})
// CHECK: tile.load %a [%m0, %{{.*}}] tile [128, 32]
// CHECK: tile.dot {{.*}} {instruction = "Mma16x8x32"}
// CHECK: } {tile.rest}
// CHECK: arith.addf %sums0
// CHECK: scf.for
// CHECK: tile.load %a [%m1, %{{.*}}] tile [128, 32]
// CHECK: arith.addf %sums1
// CHECK: } {tile.rest}

// Without a producer, all waves meet behind the last product.
// RUN: tilec %source/bench/gpu/matmul_block_fp8_few.mlir --world 1 --target sm_90a --param BM=128 --schedule=dealing=ticketed --until=schedule | FileCheck %s --check-prefix=MEET
// MEET: tile.stream %streamed slots {{[0-9]}} ahead {{[0-9]}} carries
// MEET: } uses {
// MEET: tile.dot_async
// MEET: tile.await_products
// MEET-NEXT: tile.meet

// On machines whose waves fill the slots such a loop keeps its two copies.
// RUN: tilec %source/bench/gpu/matmul_block_fp8_few.mlir --world 1 --target gfx950 --until=schedule | FileCheck %s --check-prefix=WAVES
// WAVES-NOT: tile.steps
