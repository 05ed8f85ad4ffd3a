// RUN: tilec run %s --world 1

// Transpositions, reshapes and coordinates.
tile.program @rearrangements<%M>(%a: memref<?x64xf32>, %t: memref<64x?xf32>, %p: memref<8x?x8xf32>, %io: memref<?x64xi32>, %b: memref<?x64xbf16>) extents [%a: %M, 64] [%t: 64, %M] [%p: 8, %M, 8] [%io: %M, 64] [%b: %M, 64] {
  tile.forall (%m) in [%M ceildiv 16] {
    %c0 = arith.constant 0 : index
    %x = tile.load %a[%m, %c0] tile [16, 64] : memref<?x64xf32> -> tensor<16x64xf32>
    %y = tile.transpose %x [1, 0] : tensor<16x64xf32> -> tensor<64x16xf32>
    tile.store %y, %t[%c0, %m] : tensor<64x16xf32>, memref<64x?xf32>
    %z = tile.reshape %x tile [16, 8, 8] : tensor<16x64xf32> -> tensor<16x8x8xf32>
    %w = tile.transpose %z [1, 0, 2] : tensor<16x8x8xf32> -> tensor<8x16x8xf32>
    tile.store %w, %p[%c0, %m, %c0] : tensor<8x16x8xf32>, memref<8x?x8xf32>
    %i = tile.iota dim 1 tile [16, 64] : tensor<16x64xi32>
    %j = tile.iota dim 0 tile [16, 64] : tensor<16x64xi32>
    %k = arith.subi %i, %j : tensor<16x64xi32>
    tile.store %k, %io[%m, %c0] : tensor<16x64xi32>, memref<?x64xi32>
    %f = arith.sitofp %k : tensor<16x64xi32> to tensor<16x64xf32>
    %g = arith.addf %f, %x : tensor<16x64xf32>
    %h = arith.truncf %g : tensor<16x64xf32> to tensor<16x64xbf16>
    tile.store %h, %b[%m, %c0] : tensor<16x64xbf16>, memref<?x64xbf16>
  }
}
