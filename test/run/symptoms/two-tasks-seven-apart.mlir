// RUN: rm -rf %t && split-file %s %t
// RUN: not tilec verify %t/remainder.mlir 2>&1 | FileCheck %s --check-prefix=REMAINDER
// REMAINDER: error: data race: write of element [0] of '%b' on rank 0, by task (7) {{.*}} two tasks of one role write one element, with M=449
// RUN: not tilec verify %t/minimum.mlir 2>&1 | FileCheck %s --check-prefix=MINIMUM
// MINIMUM: error: data race: write of element [6400] of '%b' on rank 0, by task (101) {{.*}}, with M={{[0-9]+}}
// RUN: tilec verify %t/too-far.mlir | FileCheck %s --check-prefix=LIMITS
// RUN: tilec verify %t/square.mlir | FileCheck %s --check-prefix=LIMITS
// LIMITS: progress any; launches up to M=200 alone
// RUN: tilec verify %t/rotated.mlir --world 3 | FileCheck %s --check-prefix=PROVEN --implicit-check-not=alone
// PROVEN: progress any
// RUN: tilec run %t/rotated.mlir --world 3 --extents-from 3,40 --race

// Tiles that two tasks of a loop store meet beyond every usual sample, which have four tasks.

//--- remainder.mlir
tile.program @remainder<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 2 extents [%a: %M] [%b: %M] {
  tile.forall (%i) in [%M ceildiv 64] {
    %seven = arith.constant 7 : index
    %at = arith.remui %i, %seven : index
    %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %b[%at] : tensor<64xf32>, memref<?xf32>
  }
}
//--- minimum.mlir
tile.program @minimum<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 2 extents [%a: %M] [%b: %M] {
  tile.forall (%i) in [%M ceildiv 64] {
    %most = arith.constant 100 : index
    %at = arith.minui %i, %most : index
    %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %b[%at] : tensor<64xf32>, memref<?xf32>
  }
}
// A launch of a million tasks is no sample.
//--- too-far.mlir
tile.program @too_far<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 2 extents [%a: %M] [%b: %M] {
  tile.forall (%i) in [%M ceildiv 64] {
    %most = arith.constant 1000000 : index
    %at = arith.minui %i, %most : index
    %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %b[%at] : tensor<64xf32>, memref<?xf32>
  }
}
// Right for all extents, which nobody proves here.
//--- square.mlir
tile.program @square<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 2 extents [%a: %M] [%b: %M] {
  tile.forall (%i) in [%M ceildiv 64] {
    %at = arith.muli %i, %i : index
    %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %b[%at] : tensor<64xf32>, memref<?xf32>
  }
}
// Quotient and remainder of a task's number together name each tile once: by a constant, and by an extent.
//--- rotated.mlir
tile.program @rotated<%M, %N>(%a: memref<?x7x64xf32>, %b: memref<?x7x64xf32>, %c: memref<?x64xf32>, %d: memref<?x?x64xf32>)
    extents [%a: %M, 7, 64] [%b: %M, 7, 64] [%c: %M * %N, 64] [%d: %M, %N, 64] {
  %rank = tile.rank
  tile.forall (%i) in [%M * 7] {
    %zero = arith.constant 0 : index
    %seven = arith.constant 7 : index
    %first = arith.divui %i, %seven : index
    %moved = arith.addi %i, %rank : index
    %second = arith.remui %moved, %seven : index
    %t = tile.load %a[%first, %second, %zero] tile [1, 1, 64] : memref<?x7x64xf32> -> tensor<1x1x64xf32>
    tile.store %t, %b[%first, %second, %zero] : tensor<1x1x64xf32>, memref<?x7x64xf32>
  }
  tile.forall (%i) in [%M * %N] {
    %zero = arith.constant 0 : index
    %row = arith.divui %i, %N : index
    %column = arith.remui %i, %N : index
    %t = tile.load %c[%i, %zero] tile [1, 64] : memref<?x64xf32> -> tensor<1x64xf32>
    %u = tile.reshape %t tile [1, 1, 64] : tensor<1x64xf32> -> tensor<1x1x64xf32>
    tile.store %u, %d[%row, %column, %zero] : tensor<1x1x64xf32>, memref<?x?x64xf32>
  }
}
