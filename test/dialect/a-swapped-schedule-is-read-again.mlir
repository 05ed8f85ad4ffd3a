// MLIR reads 'true' as the integer -1 where an integer may stand.
// RUN: tilec-opt %s --allow-unregistered-dialect --verify-roundtrip | FileCheck %s
// CHECK: #tile.schedule<swapped = true>
"test.x"() {schedule = #tile.schedule<swapped = true>} : () -> ()
// CHECK: #tile.schedule<waves = 8, chosen instruction = Wgmma64x8x16, swapped = false>
"test.x"() {schedule = #tile.schedule<waves = 8, chosen instruction = Wgmma64x8x16, swapped = false>} : () -> ()
