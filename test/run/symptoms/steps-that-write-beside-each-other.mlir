// Tasks of a step begin one row further on in each step, so that a row is written by another task of the step before. It was taken for a place of the task's
// own, and the checker refused the program for the wait that was missing.
// RUN: tilec verify %s --world 2
// RUN: tilec run %s --world 2 --extents-from 1,9 --race --shuffle --launches 2
// RUN: tilec %s --world 2 --until=waits | FileCheck %s
// CHECK: tile.wait agent %{{.*}} {tile.comment = "x: written by role copy"}
tile.program @shifted<%T>(%a: memref<?x32xf32>, %o: memref<?x32xf32>) extents [%a: %T, 32] [%o: %T, 32] {
  %x = tile.alloc [%T + 8, 32] : memref<?x32xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tile.forall (%h) in [%T + 8] {
    %z = tile.splat 0.0 [32] : tensor<32xf32>
    tile.store %z, %x[%h, %c0] : tensor<32xf32>, memref<?x32xf32>
  }
  scf.for %s = %c0 to %c4 step %c1 {
    tile.forall (%h) in [%T] {
      %at = arith.addi %h, %s : index
      %t = tile.load %a[%h, %c0] tile [32] : memref<?x32xf32> -> tensor<32xf32>
      tile.store %t, %x[%at, %c0] : tensor<32xf32>, memref<?x32xf32>
    }
  }
  tile.forall (%h) in [%T] {
    %t = tile.load %x[%h, %c0] tile [32] : memref<?x32xf32> -> tensor<32xf32>
    tile.store %t, %o[%h, %c0] : tensor<32xf32>, memref<?x32xf32>
  }
}
