// Passes say which of their options, or which stage before them, is wrong.
// RUN: not tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-expand))' 2>&1 | FileCheck %s --check-prefix=EXPAND
// RUN: not tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-choose{pattern=spiral granularity=task},tile-expand))' 2>&1 | FileCheck %s --check-prefix=PATTERN
// RUN: not tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-expand,tile-waits))' 2>&1 | FileCheck %s --check-prefix=WAITS
// RUN: not tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-choose{pattern=sequential granularity=task order=spiral},tile-expand,tile-fuse,tile-waits,tile-order{target=gfx942}))' 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-expand,tile-fuse,tile-waits,tile-partition{waves=3 target=gfx942}))' 2>&1 | FileCheck %s --check-prefix=WAVES
// RUN: not tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-expand,tile-fuse,tile-waits,tile-layout{target=gfx942}))' 2>&1 | FileCheck %s --check-prefix=LAYOUT
// RUN: not tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-choose{pattern=sequential granularity=group-0},tile-expand,tile-fuse,tile-waits))' 2>&1 | FileCheck %s --check-prefix=GRANULARITY
// GRANULARITY: error: {{.*}}unknown granularity 'group-0', expected tile, group-<n> with n from 1, shard, task or statement
// EXPAND: error: {{.*}}world is not known: run tile-specialize first
// PATTERN: error: {{.*}}unknown pattern 'spiral', expected bulk, sequential, specialized or producer-consumer
// WAITS: error: {{.*}}stands outside a 'tile.kernel': run tile-fuse first
// ORDER: error: {{.*}}unknown order 'spiral', expected auto, none, remap, chunked, grouped, diagonal, rank-first or head-first
// WAVES: error: {{.*}}has 3 waves, expected a power of two up to
// LAYOUT: error: {{.*}}has no number of waves, expected it after 'partition'
tile.program @copy(%a: memref<64x64xf32>, %b: memref<64x64xf32>) {
  tile.forall (%m, %n) over %b tiles [64, 64] : memref<64x64xf32> {
    %t = tile.load %a[%m, %n] tile [64, 64] : memref<64x64xf32> -> tensor<64x64xf32>
    tile.store %t, %b[%m, %n] : tensor<64x64xf32>, memref<64x64xf32>
  }
}
