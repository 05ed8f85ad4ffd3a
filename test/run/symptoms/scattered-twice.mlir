// RUN: split-file %s %t
// RUN: not tilec run %t/twice.mlir --world 1 --extent N=40 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tilec run %t/negative.mlir --world 1 --extent N=40 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not tilec run %t/negative.mlir --world 1 --extent N=40 --no-verify 2>&1 | FileCheck %s --check-prefix=UNVERIFIED

// Indices that name a row twice are refused before anything runs.
// TWICE: error: 'tile.scatter' op writes element {{[0-9]+}} of dimension 0 a second time in one statement, expected indices that name each once
//--- twice.mlir
tile.program @twice<%N>(%slots: memref<?xi32>, %x: memref<?x64xf32>, %y: memref<?x64xf32>)
    extents [%slots: %N] [%x: %N, 64] [%y: %N, 64] indices [%slots: %N] {
  tile.forall (%n) in [%N ceildiv 32] {
    %c0 = arith.constant 0 : index
    %nowhere = arith.constant -1 : i32
    %slot = tile.load %slots[%n] tile [32] else %nowhere : i32 : memref<?xi32> -> tensor<32xi32>
    %t = tile.load %x[%n, %c0] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    tile.scatter %t, %y[each %slot, %c0] : tensor<32x64xf32>, memref<?x64xf32>, tensor<32xi32>
  }
}

// NEGATIVE: error: takes a number up to -1, in task (0) of role @combine on rank 0: expected 0 or more
// UNVERIFIED: error: 'tile.read' op reads a number up to -1, expected 0 or more
//--- negative.mlir
tile.program @negative<%N>(%lengths: memref<?xi32>, %x: memref<?x64xf32>) extents [%lengths: %N] [%x: %N, 64] {
  tile.forall (%n) in [%N] {
    %c0 = arith.constant 0 : index
    %below = arith.constant -1 : index
    %t = tile.splat 1.0 [64] : tensor<64xf32>
    %length = tile.read %lengths[%n] upto %below : memref<?xi32>
    %row = arith.addi %n, %length : index
    tile.store %t, %x[%row, %c0] : tensor<64xf32>, memref<?x64xf32>
  }
}
