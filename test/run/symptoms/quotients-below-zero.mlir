// RUN: tilec run %s --world 1 --extents-from 200
// RUN: tilec run %s --world 1 --extent M=200
// RUN: tilec %s --world 1 --emit=hip > %t.hip

// Quotients of what is below zero rounded towards zero in the text, unless the extents were given when compiling.
tile.program @quotients<%M>(%a: memref<?xi32>, %b: memref<4x64xi32>) extents [%a: %M] [%b: 4, 64] {
  tile.forall (%i) in [4] {
    %z = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %down = tile.extent [(%M - 300) floordiv 7]
    %up = tile.extent [(%M - 300) ceildiv 7]
    %rest = tile.extent [(%M - 300) mod 7]
    %is0 = arith.cmpi eq, %i, %z : index
    %is1 = arith.cmpi eq, %i, %one : index
    %x = arith.select %is1, %up, %rest : index
    %y = arith.select %is0, %down, %x : index
    %k = arith.index_cast %y : index to i32
    %v = tile.splat %k [1, 64] : tensor<1x64xi32>
    tile.store %v, %b[%i, %z] : tensor<1x64xi32>, memref<4x64xi32>
  }
}
