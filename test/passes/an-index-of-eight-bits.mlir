// A branch on an index as an i8 had limits although the index has few values: the rank, or a task of a grid that is the same at all extents.
// RUN: split-file %s %t
// RUN: tilec verify %t/fits.mlir --world 4 | FileCheck %s --check-prefix=FITS
// RUN: tilec %t/fits.mlir --world 4 --emit=manifest 2>&1 | FileCheck %s --check-prefix=ALL
// FITS: verified on 4 ranks
// ALL-NOT: nothing is proven beyond the samples
// ALL-NOT: "limits"
// With 200 ranks the rank does not fit 8 bits.
// RUN: tilec %t/fits.mlir --world 200 --emit=manifest 2>&1 | FileCheck %s --check-prefix=RANKS
// RANKS: fits.mlir:15:5: warning: nothing is proven beyond the samples: it is not known at which extents this condition has another outcome
// As many tasks as an extent says, and a sum that does not fit though its parts do: they may wrap.
// RUN: tilec %t/wraps.mlir --world 1 --emit=manifest 2>&1 | FileCheck %s --check-prefix=WRAPS
// WRAPS: wraps.mlir:7:5: warning: nothing is proven beyond the samples: it is not known at which extents this condition has another outcome
// RUN: tilec %t/sum.mlir --world 1 --emit=manifest 2>&1 | FileCheck %s --check-prefix=SUM
// SUM: sum.mlir:9:5: warning: nothing is proven beyond the samples: it is not known at which extents this condition has another outcome
// Behind such a condition a peer is proven to exist, and tasks to touch different elements where such a number is the index.
// RUN: tilec verify %t/guard.mlir --world 4 2>&1 | FileCheck %s --check-prefix=GUARD
// RUN: tilec verify %t/index.mlir --world 1 2>&1 | FileCheck %s --check-prefix=GUARD
// GUARD-NOT: warning
// GUARD: verified on {{[14]}} ranks over 3 launches, 4 samples of the extents; kernel @p: progress any{{$}}
// RUN: sed 's/constant 3 : i8/constant 4 : i8/' %t/guard.mlir | not tilec verify - --world 4 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: error: addresses rank 4 of a world of 4 ranks
// RUN: sed 's/\[4, %M/[%M, %M/' %t/index.mlir | tilec verify - --world 1 2>&1 | FileCheck %s --check-prefix=MEETS
// MEETS: warning: nothing is proven beyond the samples: it is not known for all extents whether two tasks touch the same element here

//--- fits.mlir
tile.program @p<%M>(%a: memref<3x?xf32>, %b: memref<3x?xf32>) extents [%a: 3, %M] [%b: 3, %M] {
  %rank = tile.rank
  %c1 = arith.constant 1 : index
  %one = arith.index_castui %c1 : index to i8
  %here = arith.index_cast %rank : index to i8
  tile.forall (%i, %j) in [3, %M ceildiv 64] {
    %as = arith.index_cast %i : index to i8
    %twice = arith.addi %as, %as : i8
    %first = arith.cmpi slt, %twice, %one : i8
    scf.if %first {
      %t = tile.load %a[%i, %j] tile [1, 64] : memref<3x?xf32> -> tensor<1x64xf32>
      tile.store %t, %b[%i, %j] : tensor<1x64xf32>, memref<3x?xf32>
    }
    %odd = arith.cmpi eq, %here, %one : i8
    scf.if %odd {
      %t = tile.load %a[%i, %j] tile [1, 64] : memref<3x?xf32> -> tensor<1x64xf32>
      tile.store %t, %b[%i, %j] : tensor<1x64xf32>, memref<3x?xf32>
    }
  }
}

//--- wraps.mlir
tile.program @p<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %c1 = arith.constant 1 : index
  %one = arith.index_castui %c1 : index to i8
  tile.forall (%i) in [%M ceildiv 64] {
    %as = arith.index_cast %i : index to i8
    %is = arith.cmpi slt, %as, %one : i8
    scf.if %is {
      %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
    }
  }
}

//--- sum.mlir
tile.program @p<%M>(%a: memref<100x?xf32>, %b: memref<100x?xf32>) extents [%a: 100, %M] [%b: 100, %M] {
  %c1 = arith.constant 1 : index
  %one = arith.index_castui %c1 : index to i8
  %c0 = arith.constant 0 : index
  tile.forall (%i) in [100] {
    %as = arith.index_cast %i : index to i8
    %twice = arith.addi %as, %as : i8
    %is = arith.cmpi slt, %twice, %one : i8
    scf.if %is {
      %t = tile.load %a[%i, %c0] tile [1, 64] : memref<100x?xf32> -> tensor<1x64xf32>
      tile.store %t, %b[%i, %c0] : tensor<1x64xf32>, memref<100x?xf32>
    }
  }
}

//--- guard.mlir
tile.program @p<%M>(%a: memref<?xf32, #tile.symmetric>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %rank = tile.rank
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i8
  %next = arith.addi %rank, %c1 : index
  %here = arith.index_cast %rank : index to i8
  %has = arith.cmpi slt, %here, %three : i8
  tile.forall (%i) in [%M ceildiv 64] {
    scf.if %has {
      %t = tile.load %a[%i] tile [64] from %next : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
      tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
    }
  }
}

//--- index.mlir
tile.program @p<%M>(%a: memref<9x?xf32>, %b: memref<9x?xf32>) extents [%a: 9, %M] [%b: 9, %M] {
  %c5 = arith.constant 5 : i8
  %c0 = arith.constant 0 : index
  tile.forall (%i, %j) in [4, %M ceildiv 64] {
    %as = arith.index_cast %i : index to i8
    %moved = arith.addi %as, %c5 : i8
    %at = arith.index_cast %moved : i8 to index
    %t = tile.load %a[%at, %j] tile [1, 64] : memref<9x?xf32> -> tensor<1x64xf32>
    tile.store %t, %b[%at, %j] : tensor<1x64xf32>, memref<9x?xf32>
  }
}
