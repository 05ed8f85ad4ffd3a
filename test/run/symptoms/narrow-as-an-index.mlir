// RUN: tilec run %s --no-verify --launches 1

// A narrow number as an index: with its sign, or as its bits.
tile.program @narrow(%c: memref<2x256xi32>) world 1 extents [%c: 2, 256] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  tile.forall (%m) in [4] {
    %less = arith.subi %m, %two : index
    %x = arith.index_cast %less : index to i8
    %signed = arith.index_cast %x : i8 to index
    %signed_32 = arith.index_cast %signed : index to i32
    %signed_tile = tile.splat %signed_32 [64] : tensor<64xi32>
    tile.store %signed_tile, %c[%zero, %m] : tensor<64xi32>, memref<2x256xi32>
    %bits = arith.index_castui %x : i8 to index
    %bits_32 = arith.index_cast %bits : index to i32
    %bits_tile = tile.splat %bits_32 [64] : tensor<64xi32>
    tile.store %bits_tile, %c[%one, %m] : tensor<64xi32>, memref<2x256xi32>
  }
}
