// RUN: not tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-schedule{slots=3}))' 2>&1 | FileCheck %s
// RUN: not tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-schedule{slots=1}))' 2>&1 | FileCheck %s --check-prefix=ONE
// CHECK: schedule with 3 slots, expected 0 or a power of two from 2 on
// ONE: schedule with 1 slots, expected 0 or a power of two from 2 on

tile.program @empty() world 1 {
}
