// Two sides of a tile that are no powers of two, each among the choices of a parameter: counting what such a tile costs aborted. Others are taken where
// there are any.
// RUN: split-file %s %t
// RUN: tilec explain %t/some.mlir --world 1 | FileCheck %s --check-prefix=SOME
// RUN: tilec run %t/some.mlir --world 1 --extent M=100,N=200
// SOME: BM = {{32|64}}
// RUN: tilec explain %t/none.mlir --world 1
// RUN: for command in "%t/none.mlir --world 1 -o %t" "verify %t/none.mlir --world 1"; do not tilec $command 2>&1 | FileCheck %s --check-prefix=NONE || exit 1; done
// NONE: none.mlir:5:{{[0-9]+}}: error: {{.*}}tile of type {{.*}}24x24xf32{{.*}}, expected sides that are powers of two

//--- some.mlir
tile.program @some<%M, %N>(%x: memref<?x?xf32>, %y: memref<?x?xf32>) extents [%x: %M, %N] [%y: %M, %N] {
  tile.param @BM in [32, 96]
  tile.param @BN in [64, 96]
  tile.forall (%i, %j) in [%M ceildiv @BM, %N ceildiv @BN] {
    %t = tile.load %x[%i, %j] tile [@BM, @BN] : memref<?x?xf32> -> tensor<?x?xf32>
    tile.store %t, %y[%i, %j] : tensor<?x?xf32>, memref<?x?xf32>
  }
}

//--- none.mlir
tile.program @none<%M, %N>(%x: memref<?x?xf32>, %y: memref<?x?xf32>) extents [%x: %M, %N] [%y: %M, %N] {
  tile.param @BM in [24]
  tile.param @BN in [24]
  tile.forall (%i, %j) in [%M ceildiv @BM, %N ceildiv @BN] {
    %t = tile.load %x[%i, %j] tile [@BM, @BN] : memref<?x?xf32> -> tensor<?x?xf32>
    tile.store %t, %y[%i, %j] : tensor<?x?xf32>, memref<?x?xf32>
  }
}
