// RUN: tilec verify %s --world 1 | FileCheck %s
// RUN: tilec run %s --world 1
// RUN: not tilec run %s --world 1 --extents-from 7000 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: not tilec verify %s --world 1 --extent M=7000 2>&1 | FileCheck %s --check-prefix=GIVEN
// CHECK: launches up to M=200 alone
// BEYOND: error: cannot launch: 'hundred' is verified up to M=200, got M=7000
// GIVEN: error: order #tile.mapped<(d0) -> (d0 mod 100)> is no bijection of 110 tasks

// An order that its author wrote was accepted for any number of tasks: no sample has more than a hundred. Tasks from the
// hundredth on were never run.
tile.program @hundred<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  tile.forall (%i) in [%M ceildiv 64] order [#tile.mapped<(d0) -> (d0 mod 100)>] {
    %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
  }
}
