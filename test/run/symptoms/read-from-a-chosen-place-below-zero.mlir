// RUN: tilec verify %s --world 2
// RUN: tilec run %s --world 2 --extents-from 7,200,900 --launches 3 --race

// Rejected with 'waits for index -5 in dimension 0 of a grid of size 1': an index that is chosen was taken to be 0 or more.
tile.program @chosen<%M, %N>(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) extents [%a: %N] [%b: %M + 300] [%c: %M] {
  tile.forall (%i) in [%N ceildiv 64] {
    %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    %c64 = arith.constant 64 : index
    %here = arith.muli %i, %c64 : index
    tile.store %t, %b at (%here) : tensor<64xf32>, memref<?xf32>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c341 = arith.constant 341 : index
    %rank = tile.rank
    %here = arith.muli %i, %c64 : index
    %before = arith.subi %here, %c341 : index
    %is = arith.cmpi ne, %M, %rank : index
    %at = arith.select %is, %before, %c0 : index
    %t = tile.load %b at (%at) tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %c at (%here) : tensor<64xf32>, memref<?xf32>
  }
}
