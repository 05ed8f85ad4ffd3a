// Tile sizes that do not fit each other once parameters have values: the error names both places and both parameters.
// RUN: split-file %s %t
// RUN: not tilec %t/sum.mlir --world 2 --param BM=64,BN=32 --until=specialize 2>&1 | FileCheck %s --check-prefix=SUM
// RUN: not tilec %t/dot.mlir --world 2 --param BK=64 --until=specialize 2>&1 | FileCheck %s --check-prefix=DOT
// RUN: not tilec %t/carried.mlir --world 2 --until=specialize 2>&1 | FileCheck %s --check-prefix=CARRIED
// RUN: tilec %t/sum.mlir --world 2 --param BM=64,BN=64 --until=specialize

//--- sum.mlir
tile.program @sum<%M, %N>(%a: memref<?x?xf32>) extents [%a: %M, %N] {
  tile.param @BM in [32, 64]
  tile.param @BN in [32, 64]
  tile.forall (%m, %n) in [1, 1] {
    %x = tile.load %a[%m, %n] tile [@BM, 16] : memref<?x?xf32> -> tensor<?x16xf32>
    %y = tile.load %a[%m, %n] tile [@BN, 16] : memref<?x?xf32> -> tensor<?x16xf32>
    %double = arith.addf %x, %x : tensor<?x16xf32>
    %sum = arith.addf %double, %y : tensor<?x16xf32>
    tile.store %sum, %a[%m, %n] : tensor<?x16xf32>, memref<?x?xf32>
  }
}
// SUM: sum.mlir:8:12: error: 'arith.addf' op expected tiles of one size, got 64 elements in dimension 0 of 'tensor<64x16xf32>' and 32 in dimension 0 of 'tensor<32x16xf32>'
// SUM: sum.mlir:5:10: note: size 64 comes from here, the value of parameter @BM
// SUM: sum.mlir:6:10: note: size 32 comes from here, the value of parameter @BN

//--- dot.mlir
tile.program @dot<%M>(%a: memref<?x?xf32>, %b: memref<?x?xf32>) extents [%a: %M, %M] [%b: %M, %M] {
  tile.param @BK in [32, 64]
  tile.forall (%m) in [1] {
    %x = tile.load %a[%m, %m] tile [64, @BK] : memref<?x?xf32> -> tensor<64x?xf32>
    %t = tile.load %b[%m, %m] tile [64, 32] : memref<?x?xf32> -> tensor<64x32xf32>
    %y = tile.transpose %t [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
    %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
    %p = tile.dot %x, %y, %zero : tensor<64x?xf32>, tensor<32x64xf32>, tensor<64x64xf32>
    tile.store %p, %a[%m, %m] : tensor<64x64xf32>, memref<?x?xf32>
  }
}
// DOT: dot.mlir:8:10: error: 'tile.dot' op expected tiles of one size, got 64 elements in dimension 1 of 'tensor<64x64xf32>' and 32 in dimension 0 of 'tensor<32x64xf32>'
// DOT: dot.mlir:4:10: note: size 64 comes from here, the value of parameter @BK
// DOT: dot.mlir:5:10: note: size 32 comes from here{{$}}

//--- carried.mlir
tile.program @carried<%M>(%a: memref<?xf32>) extents [%a: %M] {
  tile.param @BM in [64]
  tile.param @BN in [16]
  tile.forall (%m) in [1] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    %init = tile.splat 0.0 [@BM] : tensor<?xf32>
    %sum = scf.for %i = %zero to %four step %one iter_args(%acc = %init) -> (tensor<?xf32>) {
      %x = tile.load %a[%i] tile [@BN] : memref<?xf32> -> tensor<?xf32>
      scf.yield %x : tensor<?xf32>
    }
    tile.store %sum, %a[%m] : tensor<?xf32>, memref<?xf32>
  }
}
// CARRIED: carried.mlir:11:7: error: 'scf.yield' op expected tiles of one size, got 64 elements in dimension 0 of 'tensor<64xf32>' and 16 in dimension 0 of 'tensor<16xf32>'
// CARRIED: carried.mlir:8:13: note: size 64 comes from here, the value of parameter @BM
// CARRIED: carried.mlir:10:12: note: size 16 comes from here, the value of parameter @BN
