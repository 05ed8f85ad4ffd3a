// Sizes of scratch with copies whose bytes take more than 64 bits at the numbers that `check` tries extents with: it crashed.
// RUN: split-file %s %t
// RUN: tilec verify %t/four.mlir --world 2 && tilec verify %t/products.mlir --world 4
// RUN: tilec run %t/four.mlir --world 2 --extent A=2,B=3,C=5,D=7 --launches 2
// RUN: tilec %t/four.mlir --world 3 --target gfx950 --emit=header > /dev/null

//--- four.mlir
tile.program @four<%A, %B, %C, %D>(%x: memref<?x?x?x?xf32, #tile.symmetric>, %y: memref<?x?x?x?xf32>)
    extents [%x: %A, %B, %C, %D] [%y: %A, %B, %C, %D] {
  tile.all_reduce %x into %y : memref<?x?x?x?xf32, #tile.symmetric>, memref<?x?x?x?xf32>
}

//--- products.mlir
tile.program @products<%M, %N, %K>(%x: memref<?x?x?xf32, #tile.symmetric>, %y: memref<?x?x?xf32>)
    extents [%x: 4096 * %M, %N, 128 * %K] [%y: 4096 * %M, %N, 128 * %K] {
  tile.all_reduce %x into %y : memref<?x?x?xf32, #tile.symmetric>, memref<?x?x?xf32>
}
