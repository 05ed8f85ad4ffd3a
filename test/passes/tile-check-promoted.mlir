// Products whose sums threads add are complete when they are over: what protects their slots is taken out of the exit dialect, and `check` says
// what goes wrong. test/run/edited-promoted.test shows the same on the emulator.
// DEFINE: %{check} = tilec-opt --pass-pipeline='builtin.module(tile.program(tile-check))' -o %t.out
// RUN: tilec %source/bench/gpu/matmul_fp8.mlir --world 1 --target sm_90a --until=prepare > %t && %{check} %t
// RUN: FileCheck %s < %t
// CHECK: hip.await_full
// CHECK: hip.multiply_async {{.*}}promoted
// CHECK-NEXT: hip.release_step %empty, %k

// RUN: awk '/ hip.await_full /{kept = $0; next} / hip.multiply_async /{print; print kept; next} {print}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: 'hip.multiply_async' op reads LDS that a copy may still fill
// RUN: awk '/ hip.release_step /{next} {print}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=UNRELEASED
// UNRELEASED: 'hip.await_full' op waits for a slot that nothing fills
// A slot that is given back before it is read may hold anything.
// RUN: awk '/ hip.multiply_async /{kept = $0; next} / hip.release_step /{print; print kept; next} {print}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: 'hip.multiply_async' op reads LDS that a copy may still fill
// Without `promoted` the product is in flight when its slot is given back.
// RUN: sed '/hip.multiply_async/s/promoted, //' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=FLYING
// FLYING: 'hip.release_step' op releases a slot that a product may still read
