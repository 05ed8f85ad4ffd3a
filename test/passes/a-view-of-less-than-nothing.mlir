// The interior of a stencil has M - 2 rows: at M = 1 that is a view of -1, which the oracle refused and the checker took for empty.
// RUN: split-file %s %t
// RUN: not tilec verify %t/negative.mlir 2>&1 | FileCheck %s
// RUN: tilec verify %t/empty.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: tilec verify %t/excluded.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: tilec run %t/empty.mlir --extents-from 1,2,40 --launches 3 2>&1 | FileCheck %s --check-prefix=RIGHT
// CHECK: error: view has -1 elements in dimension 0, expected 0 or more, by 'arith.maxsi' with 0 or by a 'where' that excludes these extents, in task (0) of role
// EMPTY: verified on 1 ranks
// RIGHT: largest error 0,

//--- negative.mlir
tile.program @interior<%M>(%x: memref<?x64xf32>, %y: memref<?x64xf32>) extents [%x: %M, 64] [%y: %M, 64] {
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %m = arith.subi %M, %c2 : index
  %from = memref.subview %x[1, 0] [%m, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: 64>>
  %into = memref.subview %y[1, 0] [%m, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: 64>>
  tile.forall (%i) in [%M ceildiv 32] {
    %t = tile.load %from[%i, %c0] tile [32, 64] : memref<?x64xf32, strided<[64, 1], offset: 64>> -> tensor<32x64xf32>
    tile.store %t, %into[%i, %c0] : tensor<32x64xf32>, memref<?x64xf32, strided<[64, 1], offset: 64>>
  }
}

//--- excluded.mlir
tile.program @interior<%M>(%x: memref<?x64xf32>, %y: memref<?x64xf32>) extents [%x: %M, 64] [%y: %M, 64] where 2 <= %M {
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %m = arith.subi %M, %c2 : index
  %from = memref.subview %x[1, 0] [%m, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: 64>>
  %into = memref.subview %y[1, 0] [%m, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: 64>>
  tile.forall (%i) in [%M ceildiv 32] {
    %t = tile.load %from[%i, %c0] tile [32, 64] : memref<?x64xf32, strided<[64, 1], offset: 64>> -> tensor<32x64xf32>
    tile.store %t, %into[%i, %c0] : tensor<32x64xf32>, memref<?x64xf32, strided<[64, 1], offset: 64>>
  }
}

//--- empty.mlir
tile.program @interior<%M>(%x: memref<?x64xf32>, %y: memref<?x64xf32>) extents [%x: %M, 64] [%y: %M, 64] {
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %less = arith.subi %M, %c2 : index
  %m = arith.maxsi %less, %c0 : index
  %from = memref.subview %x[1, 0] [%m, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: 64>>
  %into = memref.subview %y[1, 0] [%m, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: 64>>
  tile.forall (%i) in [%M ceildiv 32] {
    %t = tile.load %from[%i, %c0] tile [32, 64] : memref<?x64xf32, strided<[64, 1], offset: 64>> -> tensor<32x64xf32>
    tile.store %t, %into[%i, %c0] : tensor<32x64xf32>, memref<?x64xf32, strided<[64, 1], offset: 64>>
  }
}
