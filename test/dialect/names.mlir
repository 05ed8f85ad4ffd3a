// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix --canonicalize --cse | FileCheck %s

// The author's names are kept for results, extents, buffers, indices, carried values and epilogues, and survive passes.
// CHECK: tile.program @names<%M, %K>(%rows: memref<?x?xf32>, %out: memref<?x?xf32>)
// CHECK: tile.forall (%m, %n) over %out tiles [64, 64]
// CHECK: %sum = scf.for %k = %{{.*}} iter_args(%acc = %zero)
// CHECK: %block = tile.load %rows
// CHECK: %next = arith.addf %acc, %block
// CHECK: tile.matmul %rows, transpose %rows into %out
// CHECK-SAME: epilogue (%row, %col, %product: tensor<?x?xf32>)
// CHECK: %twice = arith.addf %product, %product
tile.program @names<%M, %K>(%rows: memref<?x?xf32>, %out: memref<?x?xf32>) extents [%rows: %M, %K] [%out: %M, %M] {
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %blocks = tile.extent [%K ceildiv 64]
  tile.forall (%m, %n) over %out tiles [64, 64] : memref<?x?xf32> {
    %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
    %sum = scf.for %k = %first to %blocks step %step iter_args(%acc = %zero) -> tensor<64x64xf32> {
      %block = tile.load %rows[%m, %k] tile [64, 64] : memref<?x?xf32> -> tensor<64x64xf32>
      %next = arith.addf %acc, %block : tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %sum, %out[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
  }
  tile.matmul %rows, transpose %rows into %out : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
      epilogue (%row, %col, %product: tensor<?x?xf32>) {
    %twice = arith.addf %product, %product : tensor<?x?xf32>
    tile.yield %twice : tensor<?x?xf32>
  }
}
