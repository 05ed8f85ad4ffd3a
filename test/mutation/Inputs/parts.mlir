// Three parts of each row of tiles, which the last of their tasks adds up.
tile.program @parts<%M>(%a: memref<3x?x64xf32>, %c: memref<?x64xf32>) extents [%a: 3, %M, 64] [%c: %M, 64] {
  %parts = tile.alloc [3, %M, 64] : memref<3x?x64xf32>
  tile.forall (%p, %m) in [3, %M ceildiv 64] {
    %zero = arith.constant 0 : index
    %t = tile.load %a[%p, %m, %zero] tile [64, 64] : memref<3x?x64xf32> -> tensor<64x64xf32>
    %u = arith.mulf %t, %t : tensor<64x64xf32>
    tile.store %u, %parts[%p, %m, %zero] : tensor<64x64xf32>, memref<3x?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 64] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %t = tile.load %parts[%zero, %m, %zero] tile [64, 64] : memref<3x?x64xf32> -> tensor<64x64xf32>
    %u = tile.load %parts[%one, %m, %zero] tile [64, 64] : memref<3x?x64xf32> -> tensor<64x64xf32>
    %v = tile.load %parts[%two, %m, %zero] tile [64, 64] : memref<3x?x64xf32> -> tensor<64x64xf32>
    %x = arith.addf %t, %u : tensor<64x64xf32>
    // Other threads hold them than those that loaded the parts, and stored them.
    %y = tile.transpose %v [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    %s = arith.addf %x, %y : tensor<64x64xf32>
    tile.store %s, %c[%m, %zero] : tensor<64x64xf32>, memref<?x64xf32>
  }
}
