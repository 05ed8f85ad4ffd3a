// A view that begins at a number times an extent, in a buffer that a multiple of two extents long, was not known to lie in it: its bounds
// were claimed of the samples alone, and launches had limits.
// RUN: tilec verify %s --world 4 --target gfx942 | FileCheck %s --implicit-check-not="bounds of"
// RUN: sed 's/arith.addi %%first, %%e/arith.addi %%first, %%next/' %s > %t.mlir
// RUN: not tilec verify %t.mlir --world 4 --target gfx942 2>&1 | FileCheck %s --check-prefix=BEYOND

// CHECK: @slots: verified on 4 ranks
// BEYOND: error: view reaches element {{[0-9]+}} in dimension 0 of a buffer of size {{[0-9]+}}, in task
tile.program @slots<%E, %C>(%x: memref<?x64xf32>, %y: memref<?x?x64xf32>) extents [%x: W * %E * %C, 64] [%y: W * %E, %C, 64] {
  tile.forall (%r, %e, %c) in [W, %E, %C ceildiv 32] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %next = arith.addi %e, %one : index
    %first = arith.muli %r, %E : index
    %expert = arith.addi %first, %e : index
    %slot = arith.muli %expert, %C : index
    %view = memref.subview %x[%slot, 0] [%C, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    %t = tile.load %view[%c, %zero] tile [32, 64] : memref<?x64xf32, strided<[64, 1], offset: ?>> -> tensor<32x64xf32>
    %place = arith.addi %e, %first : index
    tile.store %t, %y[%place, %c, %zero] : tensor<32x64xf32>, memref<?x?x64xf32>
  }
}
