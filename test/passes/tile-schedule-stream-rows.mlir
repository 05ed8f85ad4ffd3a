// Attention's loop on a machine with a copy engine: K and V come to slots by rows of one head, both products read them there, and what is computed
// between them stays in registers, the weights as the left operand of the second product. It goes on while the next step computes its weights.
// RUN: tilec %source/bench/gpu/attention.mlir --world 1 --target sm_90a --param BN=128 --until=schedule | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: tilec %source/bench/gpu/attention_causal.mlir --world 1 --target sm_90a --param BN=64 --until=schedule | FileCheck %s --check-prefixes=CHECK,NARROW

// What a step makes is large: the producer gives registers to those who make it.
// CHECK: dealing = #tile<dealing strided>
// CHECK-SAME: producer = #tile.producer<waves = 4, registers = 24, consumers = 240>
// CHECK: %empty = tile.empty slots
// CHECK: %full = tile.full slots
// WIDE: %k_0 = tile.shared_buffer kept : memref<2x128x128xbf16, #tile.shared<8, 1, 8 panel 64>>
// NARROW: %k_0 = tile.shared_buffer kept : memref<4x64x128xbf16, #tile.shared<8, 1, 8 panel 64>>
// CHECK: %streamed = arith.select
// CHECK: %[[MORE:.*]] = arith.addi %streamed, %{{.*}}
// CHECK-NEXT: %[[ANY:.*]] = arith.cmpi sgt, %streamed, %{{.*}}
// CHECK-NEXT: %turns = arith.select %[[ANY]], %[[MORE]], %{{.*}}
// CHECK: scf.if
// CHECK-NOT: tile.barrier
// The product with V is issued a step later, behind the scores of the next keys; what it reads comes with them.
// WIDE: tile.stream %turns slots 2 ahead 2 empty %empty carries
// NARROW: tile.stream %turns slots 4 ahead 4 empty %empty carries
// CHECK: ^bb0(%n: index, %slot: index):
// CHECK: %[[BEFORE:before.*]] = arith.subi %n, %{{.*}}
// CHECK-NEXT: tile.copy_async %k[%h, %n, %{{.*}}] by_rows -> %k_0[%slot] full %full
// CHECK-NEXT: tile.copy_async %v[%h, %[[BEFORE]], %{{.*}}] by_rows -> %v_1[%slot] full %full
// CHECK-NEXT: tile.next
// CHECK: } uses {
// CHECK: tile.await_full %full[%slot]
// The first step has no product of a step before.
// CHECK: scf.if
// CHECK: tile.dot_async %{{.*}}, transpose %k_0[%slot]
// CHECK-NEXT: %{{.*}} = tile.await_products %{{.*}} left 0
// CHECK-NOT: tile.dot_async
// CHECK: scf.yield
// CHECK: } else {
// CHECK: scf.if
// CHECK-NEXT: %{{.*}} = tile.dot_async %weights{{.*}}, %v_1[%slot]
// CHECK-NEXT: %{{.*}} = tile.await_products %{{.*}} left 0
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[SCORES:.*]] = tile.dot_async %{{.*}}, transpose %k_0[%slot], %{{.*}} {instruction = "Wgmma64x{{128|64}}x16"} : tensor<128x128xbf16
// CHECK-NEXT: %[[SUMS:.*]] = tile.dot_async %weights{{.*}}, %v_1[%slot], %{{.*}} {instruction = "Wgmma64x128x16"}
// CHECK-NEXT: %{{.*}} = tile.await_products %[[SCORES]] left 1
// CHECK-NOT: tile.barrier
// CHECK: tile.reduce
// CHECK: tile.reduce
// CHECK: %[[WEIGHTS:.*]] = arith.truncf
// CHECK-NEXT: %[[DONE:.*]] = tile.await_products %[[SUMS]] left 0
// CHECK-NEXT: %[[SHRUNK:.*]] = arith.mulf %[[DONE]]
// CHECK-NEXT: scf.yield %{{.*}}, %{{.*}}, %[[SHRUNK]], %[[WEIGHTS]]
// CHECK: tile.release %empty step %n
// CHECK-NEXT: tile.next
// Views that the engine cannot read take the loop that was there, whose operands are loaded one behind the other.
// CHECK: scf.for %n = %streamed
// CHECK: tile.load %k
// CHECK-NEXT: tile.shared_store
// CHECK-NEXT: %{{.*}} = tile.load %v
// CHECK: } {tile.rest}

// A task that takes a share of the rows begins where that begins. The step in front of the first fetches no V, the one behind the last no K: rows in front
// of all are zeros. Four waves have the 64 rows, and as the last task of a head merges the shares, tickets deal tasks out where units have several.
// RUN: tilec %source/bench/gpu/decode.mlir --world 1 --target sm_90a --param SPLITS=11 --extent H=192,T=8192 --until=schedule | FileCheck %s --check-prefixes=SHARE,SEVERAL
// RUN: tilec %source/bench/gpu/decode.mlir --world 1 --target sm_90a --param SPLITS=11 --extent H=12,T=8192 --until=schedule | FileCheck %s --check-prefixes=SHARE,ONE
// SEVERAL-NOT: dealing strided
// ONE: dealing = #tile<dealing strided>
// SHARE: producer = #tile.producer<waves = 4, registers = 0, consumers = 0>
// SHARE-SAME: waves = 4
// SHARE: %steps = arith.subi %end, %begin
// SHARE: %streamed = arith.select %{{.*}}, %steps, %{{.*}}
// SHARE: ^bb0(%n: index, %slot: index):
// SHARE-NEXT: %[[NUMBER:.*]] = arith.addi %begin, %n
// SHARE: %[[BEFORE:before.*]] = arith.subi %[[NUMBER]], %{{.*}}
// SHARE: %[[FIRST:.*]] = arith.cmpi eq, %n, %c0
// SHARE: %[[V:row.*]] = arith.select %[[FIRST]], %c-1{{.*}}, %[[BEFORE]]
// SHARE: %[[LAST:.*]] = arith.cmpi eq, %n, %streamed
// SHARE: %[[K:row.*]] = arith.select %[[LAST]], %c-1{{.*}}, %[[NUMBER]]
// SHARE-NEXT: tile.copy_async %k[%h, %[[K]], %{{.*}}] by_rows
// SHARE-NEXT: tile.copy_async %v[%h, %[[V]], %{{.*}}] by_rows
// SHARE: %[[REST:.*]] = arith.addi %begin, %streamed
// SHARE-NEXT: %{{.*}} = scf.for %n = %[[REST]] to %end

// Where all waves of the workgroup meet in a task nobody runs ahead of it: they fill the slots themselves, and meet before they do.
// RUN: tilec %S/tile-check-stream-rows.mlir --world 1 --target sm_90a --until=schedule | FileCheck %s --check-prefix=MET
// MET-NOT: #tile.producer
// MET: tile.fence_async
// MET-NEXT: tile.barrier
// MET: tile.stream %{{.*}} slots 4 ahead 3 carries
// MET: tile.meet
// MET-NEXT: tile.next

// A program may mask only the blocks that need it: both sides of the branch compute with registers alone, also where the steps are those of rings.
// RUN: tilec %source/bench/gpu/attention_causal.mlir --world 1 --target sm_90a --param BN=64 --until=schedule | FileCheck %s --check-prefix=MASK
// RUN: tilec %source/bench/gpu/attention_causal.mlir --world 1 --target gfx950 --param BN=64 --until=schedule | FileCheck %s --check-prefix=MASK
// MASK: tile.{{stream %|steps}}
// MASK: %partly{{.*}} = arith.cmpi ugt
// MASK: scf.if %partly
// MASK: arith.select
// MASK: } else {
