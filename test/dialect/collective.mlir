// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix | tilec-opt --mlir-use-nameloc-as-prefix --keep-names | FileCheck %s

// Collectives, and a product with an epilogue.
tile.program @collective<%M, %N>(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %z: memref<?x64xf32>, %w: memref<?x?xf32>, %f: memref<16x64xf8E4M3FN>, %g: memref<16x16xf32>, %n: memref<1xi32>, %h: memref<64x64xf32>)
    extents [%x: %M, 64] [%y: W * %M, 64] [%z: %M, 64] [%w: %M, %M] [%f: 16, 64] [%g: 16, 16] {
  // CHECK: tile.all_gather %x into %y dim 0 : memref<?x64xf32>, memref<?x64xf32>
  tile.all_gather %x into %y dim 0 : memref<?x64xf32>, memref<?x64xf32>
  // CHECK: tile.reduce_scatter %y into %x dim 0 tiles [16, 64] unordered : memref<?x64xf32>, memref<?x64xf32>
  tile.reduce_scatter %y into %x dim 0 tiles [16, 64] unordered : memref<?x64xf32>, memref<?x64xf32>
  // CHECK: tile.all_to_all %x into %z dim 0 : memref<?x64xf32>, memref<?x64xf32>
  tile.all_to_all %x into %z dim 0 : memref<?x64xf32>, memref<?x64xf32>
  // CHECK: tile.all_reduce %x into %z unordered : memref<?x64xf32>, memref<?x64xf32>
  tile.all_reduce %x into %z unordered : memref<?x64xf32>, memref<?x64xf32>
  // CHECK: tile.reduce_scatter maximum %y into %x dim 0 : memref<?x64xf32>, memref<?x64xf32>
  tile.reduce_scatter maximum %y into %x dim 0 : memref<?x64xf32>, memref<?x64xf32>
  // CHECK: tile.all_reduce minimum %x into %z : memref<?x64xf32>, memref<?x64xf32>
  tile.all_reduce minimum %x into %z : memref<?x64xf32>, memref<?x64xf32>
  // CHECK: tile.shift %x into %z by -1 : memref<?x64xf32>, memref<?x64xf32>
  tile.shift %x into %z by -1 : memref<?x64xf32>, memref<?x64xf32>
  // CHECK: tile.matmul %x, transpose %z into %w tiles [16, 16, 32] : memref<?x64xf32>, memref<?x64xf32>, memref<?x?xf32>
  // CHECK-SAME: epilogue (%row, %col, %t: tensor<16x16xf32>) {
  // CHECK: tile.yield %t : tensor<16x16xf32>
  tile.matmul %x, transpose %z into %w tiles [16, 16, 32] : memref<?x64xf32>, memref<?x64xf32>, memref<?x?xf32>
      epilogue (%row, %col, %t: tensor<16x16xf32>) {
    tile.yield %t : tensor<16x16xf32>
  }
  // CHECK: tile.matmul %f, transpose %f into %g accumulate fast tiles [16, 16, 32] : memref<16x64xf8E4M3FN>
  tile.matmul %f, transpose %f into %g accumulate fast tiles [16, 16, 32] : memref<16x64xf8E4M3FN>, memref<16x64xf8E4M3FN>, memref<16x16xf32>
  // CHECK: tile.matmul %f, transpose %f into %g accumulate exact : memref<16x64xf8E4M3FN>
  tile.matmul %f, transpose %f into %g accumulate exact : memref<16x64xf8E4M3FN>, memref<16x64xf8E4M3FN>, memref<16x16xf32>
  // CHECK: tile.matmul %x, transpose %z into %w rows %n : memref<1xi32> tiles [16, 16, 32] swapped : memref<?x64xf32>, memref<?x64xf32>, memref<?x?xf32>
  tile.matmul %x, transpose %z into %w rows %n : memref<1xi32> tiles [16, 16, 32] swapped : memref<?x64xf32>, memref<?x64xf32>, memref<?x?xf32>
  // CHECK: tile.matmul %x, transpose %z into %w tiles [16, 16, 32] split 2 behind 9 : memref<?x64xf32>
  tile.matmul %x, transpose %z into %w tiles [16, 16, 32] split 2 behind 9 : memref<?x64xf32>, memref<?x64xf32>, memref<?x?xf32>
  // CHECK: tile.matmul %x, transpose %z into %w tiles [16, 16, 32] swapped split 4 : memref<?x64xf32>
  tile.matmul %x, transpose %z into %w tiles [16, 16, 32] swapped split 4 : memref<?x64xf32>, memref<?x64xf32>, memref<?x?xf32>
  // CHECK: tile.matmul transpose %f, %f into %h tiles [16, 16, 16] : memref<16x64xf8E4M3FN>, memref<16x64xf8E4M3FN>, memref<64x64xf32>
  tile.matmul transpose %f, %f into %h tiles [16, 16, 16] : memref<16x64xf8E4M3FN>, memref<16x64xf8E4M3FN>, memref<64x64xf32>
}
