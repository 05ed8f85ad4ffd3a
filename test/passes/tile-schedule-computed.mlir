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

// Where all products of a step have registers, steps compute under the products of the next one: with those of the step before, where there is one, and each
// product begins behind that. What the last step has left is used behind the loop.
// RUN: tilec %source/bench/gpu/matmul_block_fp8_wide.mlir --world 1 --target sm_90a --param BM=128 --until=schedule | FileCheck %s --check-prefix=OVERLAPPED
// OVERLAPPED-DAG: %[[NONE0:.*]] = ub.poison : tensor<128x128xf32, #{{.*}}>
// OVERLAPPED-DAG: %[[NONE1:.*]] = ub.poison : tensor<128x64xf32, #{{.*}}>
// OVERLAPPED: %[[LEFT:.*]]:7 = tile.stream %streamed slots 4 ahead 4 empty %empty carries(%none, %none_half, %by_row, %by_block0, %by_block1, %[[NONE0]], %[[NONE1]] :
// OVERLAPPED: } uses {
// OVERLAPPED-NEXT: (%k: index, %slot: index, %sums0: {{.*}}, %sums1: {{.*}}, %by_row_{{.*}}, %[[P0:product[_0-9]*]]: tensor<128x128xf32, #{{.*}}>, %[[P1:product[_0-9]*]]: tensor<128x64xf32, #{{.*}}>):
// OVERLAPPED: %has_before = arith.cmpi sgt, %k,
// OVERLAPPED: tile.load %row_scales [%k, %m]
// OVERLAPPED: %[[SUMS0:.*]] = scf.if %has_before
// OVERLAPPED-NEXT: tile.await_products %[[P0]] left 1
// OVERLAPPED: arith.addf %sums0
// OVERLAPPED: } else {
// OVERLAPPED-NEXT: scf.yield %sums0
// OVERLAPPED: tile.await_full %full[%slot]
// OVERLAPPED-NEXT: %[[N0:.*]] = tile.dot_async {{.*}}, replaces %[[P0]] {
// OVERLAPPED-NEXT: %[[SUMS1:.*]] = scf.if %has_before
// OVERLAPPED-NEXT: tile.await_products %[[P1]] left 1
// OVERLAPPED: tile.release %empty step %{{.*}}
// OVERLAPPED-NEXT: %[[N1:.*]] = tile.dot_async {{.*}}, replaces %[[P1]] {
// OVERLAPPED-NEXT: tile.next %[[SUMS0]], %[[SUMS1]], {{.*}}, %[[N0]], %[[N1]] :
// OVERLAPPED: tile.await_products %[[LEFT]]#5 left 1
// OVERLAPPED: tile.await_products %[[LEFT]]#6 left 0
// OVERLAPPED-NEXT: tile.release %empty step

// Without a producer, all waves meet behind the last product.
// RUN: tilec %source/bench/gpu/matmul_block_fp8_few.mlir --world 1 --target sm_90a --param BM=128 --schedule=dealing=ticketed --until=schedule | FileCheck %s --check-prefix=MEET
// MEET: tile.stream %streamed slots {{[0-9]}} ahead {{[0-9]}} carries
// MEET: } uses {
// MEET: tile.dot_async
// MEET: tile.await_products
// MEET-NEXT: tile.meet

// Where waves fill the slots a product finds its operands in registers: those of the last are read under the first, those of the first under the last one of the
// step before. Scales are fetched a step ahead. Behind the meeting before the last product the slot is filled again.
// RUN: tilec %source/bench/gpu/matmul_block_fp8.mlir --world 1 --target gfx950 --param BM=128 --until=pipeline | FileCheck %s --check-prefix=COPIED
// COPIED: tile.kernel @matmul_block_fp8 attributes {{.*}}waves = 8
// COPIED: tile.regular %row_scales[%{{.*}}, %m0] tile [1, 128] vector 1 across
// COPIED: tile.regular %block_scales[%n, %{{.*}}] tile [1, 1] vector 1 :
// COPIED: tile.fetch %row_scales[%{{.*}}, %m0] by_rows
// COPIED: tile.steps %whole slots 2 carries(
// COPIED: tile.reshape
// COPIED: %[[FIRST:.*]]:2 = tile.places
// COPIED-NEXT: tile.dot %[[A:.*]], transpose %[[B:.*]], %none
// COPIED-NEXT: tile.shared_load %{{.*}}[%slot]
// COPIED-NEXT: tile.placed
// COPIED: arith.addf %sums0
// COPIED: tile.await left 0
// COPIED-NEXT: tile.meet
// COPIED: tile.fetch %row_scales[%following, %m0] by_rows
// COPIED: tile.fetch %block_scales[%n, %following]
// COPIED: tile.places
// COPIED-NEXT: tile.dot %[[FIRST]]#1, transpose %[[B]], %none
// COPIED-NEXT: tile.shared_load %{{.*}}[%next]
// COPIED-NEXT: tile.shared_load %{{.*}}[%next]
// COPIED-NEXT: tile.copy_async %a[%m0, %ahead] -> %{{.*}}[%slot]
// COPIED-NEXT: tile.copy_async %b[%n, %ahead] -> %{{.*}}[%slot]
// COPIED-NEXT: tile.copy_async %a[%m1, %ahead] -> %{{.*}}[%slot]
// COPIED: arith.addf %sums1

// Through registers, one barrier does for both; scales have the whole step for their way.
// RUN: tilec %source/bench/products/block_fnuz.mlir --world 1 --target gfx942 --until=pipeline | FileCheck %s --check-prefix=FETCHED
// FETCHED: tile.steps %whole slots 2 carries(
// FETCHED: tile.places
// FETCHED: tile.fetch %row_scales[%following, %m0] by_rows
// FETCHED: tile.barrier
// FETCHED-NOT: tile.barrier
// FETCHED: tile.shared_store %{{.*}}, %{{.*}}[%slot]
// FETCHED-NEXT: tile.fetch %a[%m0, %ahead]
// FETCHED: tile.next

// One product of a step has all its operands read under the one before. Steps that are too short for it have four slots.
// RUN: tilec %source/bench/gpu/matmul_block_fp8_few.mlir --world 1 --target gfx950 --until=pipeline | FileCheck %s --check-prefix=ONE
// ONE: tile.steps %whole slots 4 carries(
// ONE: tile.await left {{[1-9]}}
// ONE-NEXT: tile.meet
// ONE: tile.places
// ONE-COUNT-2: tile.shared_load %{{.*}}[%next]
// ONE-NEXT: tile.copy_async
// ONE: tile.next

// Halves that alternate only multiply.
// RUN: not tilec %source/bench/gpu/matmul_block_fp8.mlir --world 1 --target gfx950 --schedule=waves=8,halves=alternating --until=schedule 2>&1 | FileCheck %s --check-prefix=HALVES
// HALVES: error: 'tile.program' op has no loop over K through rings that waves fill, in which halves of them could alternate as its schedule says
