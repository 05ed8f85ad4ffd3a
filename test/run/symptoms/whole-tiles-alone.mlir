// RUN: tilec verify %s --world 2 --pattern sequential-push
// RUN: tilec run %s --world 2 --pattern sequential-push --extents-from 0,40,64,130 --launches 12 --shuffle --seeds 6 --memory weak --race --skewed
// RUN: sed 's/floordiv/ceildiv/' %s > %t.mlir && tilec %t.mlir --world 2 --pattern sequential-push --until waits | sed 's/ceildiv/floordiv/' > %t.form.mlir
// RUN: not tilec verify %t.form.mlir 2>&1 | FileCheck %s

// Whole tiles alone: with N = 40 a launch exchanges nothing, and one such launch between others let a rank write what
// its peer still read. The checker tried as many of them in a row as there are copies, which is in order again.
// CHECK: error: data race when extents change: write of '%s' on rank 1, by task (1, 0) of role @send on rank 0
// CHECK-SAME: 2 launches earlier
// CHECK-NOT: anew
tile.program @whole<%N>(%x: memref<?xf32>, %out: memref<?xf32>) extents [%x: %N] [%out: W * %N] {
  %s = tile.alloc [W, %N] : memref<?x?xf32, #tile.symmetric>
  %rank = tile.rank
  tile.forall (%p, %n) in [W, %N floordiv 64] {
    %t = tile.load %x[%n] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %s[%rank, %n] to %p : tensor<64xf32>, memref<?x?xf32, #tile.symmetric>
  }
  tile.forall (%p, %n) in [W, %N floordiv 64] {
    %view = memref.subview %s[%p, 0] [1, %N] [1, 1] : memref<?x?xf32, #tile.symmetric> to memref<?xf32, strided<[1], offset: ?>, #tile.symmetric>
    %t = tile.load %view[%n] tile [64] : memref<?xf32, strided<[1], offset: ?>, #tile.symmetric> -> tensor<64xf32>
    %c64 = arith.constant 64 : index
    %row = arith.muli %n, %c64 : index
    %start = tile.extent [%N]
    %base = arith.muli %p, %start : index
    %at = arith.addi %base, %row : index
    tile.store %t, %out at (%at) : tensor<64xf32>, memref<?xf32>
  }
}
