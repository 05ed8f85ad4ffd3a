// Sums that may leave their type are computed as unsigned numbers, which wrap; those that count stay as they are.
// RUN: tilec %s --emit=hip | FileCheck %s
tile.program @sums(%x: memref<256xi32>, %y: memref<256xi32>, %z: memref<256xi32>) world 1 extents [%x: 256] [%y: 256] [%z: 256] {
  tile.forall (%m) in [4] {
    %side = arith.constant 64 : index
    %start = arith.muli %m, %side : index
    %first = arith.index_cast %start : index to i32
    %base = tile.splat %first [64] : tensor<64xi32>
    %inside = tile.iota dim 0 tile [64] : tensor<64xi32>
    // A place in a buffer: an index and a coordinate in a tile.
    // CHECK-NOT: unsigned
    %place = arith.addi %base, %inside : tensor<64xi32>
    tile.store %place, %y[%m] : tensor<64xi32>, memref<256xi32>
    // What memory holds may be anything.
    // CHECK: unsigned(
    %any = tile.load %x[%m] tile [64] : memref<256xi32> -> tensor<64xi32>
    %sum = arith.addi %any, %place : tensor<64xi32>
    tile.store %sum, %z[%m] : tensor<64xi32>, memref<256xi32>
  }
}
