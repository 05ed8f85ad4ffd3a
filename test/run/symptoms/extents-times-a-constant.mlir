// RUN: split-file %S/scratch-of-four-extents.mlir %t
// RUN: tilec verify %t/products.mlir --world 4 --pattern specialized-push 2>&1 | FileCheck %s --check-prefix=FOUR
// RUN: tilec verify %t/products.mlir --world 8 --pattern specialized-push 2>&1 | FileCheck %s --check-prefix=EIGHT
// RUN: tilec verify %t/products.mlir --world 8 2>&1 | FileCheck %s --check-prefix=UNLIMITED --implicit-check-not="launches up to"
// RUN: sh -c "ulimit -t 60; tilec verify %s --world 4 --pattern specialized-push" | FileCheck %s --check-prefix=SIDES

// A loop over 4096 * %M rows has thousands of tiles for each unit of %M, and samples had as many units as tiles are wanted of other loops:
// so all of them were too large on 8 ranks, and nothing was verified.
// FOUR: warning: not verified for M=1/N=200/K=13: a launch has more than 1048576 accesses
// FOUR: verified on 4 ranks over 4 launches, 2 samples of the extents, 4 too large;
// EIGHT: verified on 8 ranks over 4 launches, 1 sample of the extents, 5 too large;
// UNLIMITED: verified on 8 ranks over 3 launches, 4 samples of the extents, 2 too large;

// Between full launches an empty one lets a rank run ahead. Of each access and each of the launch before it was then asked whether they are ordered,
// though one that is not decides: billions of pairs, of many minutes.
// SIDES: verified on 4 ranks over 4 launches, 3 samples of the extents;

tile.program @sides<%M, %N>(%x: memref<?x?xf32, #tile.symmetric>, %y: memref<?x?xf32>) extents [%x: 4096 * %M, 4096 * %N] [%y: 4096 * %M, 4096 * %N] {
  tile.all_reduce %x into %y : memref<?x?xf32, #tile.symmetric>, memref<?x?xf32>
}
