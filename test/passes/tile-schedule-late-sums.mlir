// Sums of rows that a loop over rows carries: its lanes add up what they have, and exchange their sums behind the loop alone.
// RUN: tilec %source/bench/gpu/attention.mlir --world 1 --target sm_90a --until=schedule | FileCheck %s
// CHECK: tile.stream %turns slots 2 ahead 2 empty %empty carries(%low{{.*}}, %none{{[^:]*}} : tensor<128xf32, {{.*}}>, tensor<128x4xf32,
// CHECK: %[[GROUPED:grouped.*]] = tile.reshape %p{{.*}} tile [128, 16, 4, 2]
// CHECK-NEXT: %[[GROUPS:of_groups.*]] = tile.reduce add %[[GROUPED]] dim 3
// CHECK-NEXT: %[[PART:part.*]] = tile.reduce add %[[GROUPS]] dim 1 : {{.*}} -> tensor<128x4xf32,
// CHECK-NEXT: %[[FACTOR:of_lanes.*]] = tile.broadcast %shrink{{.*}} dims [0] tile [128, 4]
// CHECK-NEXT: %[[OLD:old.*]] = arith.mulf %{{.*}}, %[[FACTOR]]
// CHECK-NEXT: arith.addf %[[OLD]], %[[PART]]
// Of the maximum every lane needs all.
// CHECK-NOT: tensor<128x4xf32{{.*}}maximum
// The loop of the rest carries the same, and what it leaves is the sum.
// CHECK: scf.for %n = %streamed
// CHECK: } {tile.rest}
// CHECK: %[[SUMS:row_sums.*]] = tile.reduce add %{{.*}} dim 1 : tensor<128x4xf32, {{.*}}> -> tensor<128xf32,
// CHECK-NEXT: tile.broadcast %[[SUMS]]

// The same where slots are filled through registers, or by copies past them.
// RUN: tilec %source/bench/attention/plain.mlir --world 1 --target gfx942 --until=schedule | FileCheck %s --check-prefix=WAVES
// RUN: tilec %source/bench/attention/plain.mlir --world 1 --target gfx950 --param BM=128,BN=64 --until=schedule | FileCheck %s --check-prefix=WAVES
// WAVES: tile.steps
// WAVES: %grouped{{.*}} = tile.reshape %p
// WAVES: } {tile.rest}
// WAVES: %row_sums = tile.reduce add

// A sum that starts with something, or that a step uses, is that of all lanes in each step.
// RUN: sed 's/%%none = tile.splat 0.0/%%none = tile.splat 1.0/' %source/bench/gpu/attention.mlir > %t.mlir
// RUN: tilec %t.mlir --world 1 --target sm_90a --until=schedule | FileCheck %s --check-prefix=EARLY
// RUN: sed 's/%%d = arith.subf %%scores, %%mb/%%sb = tile.broadcast %%s0 dims [0] tile [@BM, @BN] : !row -> !s\n%%dd = arith.subf %%scores, %%sb : !s\n%%d = arith.subf %%dd, %%mb/' %source/bench/gpu/attention.mlir > %t.mlir
// RUN: tilec %t.mlir --world 1 --target sm_90a --until=schedule | FileCheck %s --check-prefix=EARLY
// EARLY: tile.stream
// EARLY-NOT: tile.reshape
