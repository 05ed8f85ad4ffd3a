// RUN: split-file %S/scratch-of-four-extents.mlir %t && split-file %s %t.own
// RUN: %if full %{ tilec verify %t/products.mlir --world 4 --pattern specialized-push 2>&1 | FileCheck %s --check-prefix=FOUR %}
// RUN: tilec verify %t/products.mlir --world 8 --pattern specialized-push 2>&1 | FileCheck %s --check-prefix=EIGHT
// RUN: tilec verify %t/products.mlir --world 8 2>&1 | FileCheck %s --check-prefix=UNLIMITED --implicit-check-not="launches up to"
// RUN: sh -c "ulimit -t 60; tilec verify %t.own/sides.mlir --world 4 --pattern specialized-push" | FileCheck %s --check-prefix=SIDES
// RUN: tilec verify %t.own/limited.mlir --world 4 2>&1 | FileCheck %s --check-prefix=LIMITED

// A loop over 4096 * %M rows has thousands of tiles for each unit of %M, and samples had as many units as tiles are wanted of other loops:
// so all of them were too large on 8 ranks, and nothing was verified.
// FOUR: warning: not verified for M=1/N=200/K=13: a launch has more than 524288 accesses
// FOUR: verified on 4 ranks over 4 launches, 2 samples of the extents, 5 too large;
// EIGHT: verified on 8 ranks over 4 launches, 1 sample of the extents, 5 too large;
// UNLIMITED: verified on 8 ranks over 3 launches, 2 samples of the extents, 4 too large;

// Between full launches an empty one lets a rank run ahead. Of each access and each of the launch before it was then asked whether they are ordered,
// though one that is not decides: billions of pairs, of many minutes.
// SIDES: verified on 4 ranks over 4 launches, 3 samples of the extents, 1 too large;

// A program with limits takes launches up to the greatest sample, which is no shorter for what an extent is multiplied with.
// LIMITED: launches up to M=200, N=513, K=2049 alone

//--- sides.mlir
tile.program @sides<%M, %N>(%x: memref<?x?xf32, #tile.symmetric>, %y: memref<?x?xf32>) extents [%x: 4096 * %M, 4096 * %N] [%y: 4096 * %M, 4096 * %N] {
  tile.all_reduce %x into %y : memref<?x?xf32, #tile.symmetric>, memref<?x?xf32>
}

//--- limited.mlir
tile.program @limited<%M, %N, %K>(%a: memref<?x?xbf16, #tile.symmetric>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: 1024 * %M, %K] [%b: %N, %K] [%c: W * 1024 * %M, %N] {
  %full = tile.alloc [W * 1024 * %M, %K] : memref<?x?xbf16, #tile.symmetric>
  tile.all_gather %a into %full dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %full, transpose %b into %c : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xbf16>
}
