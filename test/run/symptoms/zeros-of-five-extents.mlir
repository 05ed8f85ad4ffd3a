// RUN: tilec verify %s --world 3 --pattern sequential-push | FileCheck %s
// RUN: tilec run %s --world 3 --pattern sequential-push --extents-from 0,9 --launches 14 --shuffle --memory weak --race --skewed --seed 2

// Of more than four extents only each one and all together were made 0: two that empty an exchange raced.
// CHECK: refused with A=0, B=0
tile.program @g2<%A, %B, %C, %D, %E>(%a: memref<?x32xf32>, %c: memref<?x32xf32>, %d: memref<?x16xf32>) extents [%a: %A + %B, 32] [%c: W * (%A + %B), 32] [%d: %C + %D + %E, 16] {
  %s = tile.alloc [W * (%A + %B), 32] : memref<?x32xf32, #tile.symmetric>
  tile.all_gather %a into %s dim 0 : memref<?x32xf32>, memref<?x32xf32, #tile.symmetric>
  tile.forall (%m, %n) over %c tiles [16, 32] : memref<?x32xf32> {
    %x = tile.load %s[%m, %n] tile [16, 32] : memref<?x32xf32, #tile.symmetric> -> tensor<16x32xf32>
    tile.store %x, %c[%m, %n] : tensor<16x32xf32>, memref<?x32xf32>
  }
  tile.forall (%m, %n) over %d tiles [16, 16] : memref<?x16xf32> {
    %x = tile.splat 1.0 [16, 16] : tensor<16x16xf32>
    tile.store %x, %d[%m, %n] : tensor<16x16xf32>, memref<?x16xf32>
  }
}
