// RUN: tilec run %s --world 1

// Tiles at element offsets, some of them negative.
tile.program @offsets<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>, %d: memref<?xi32>, %e: memref<?xi32>) extents [%a: %M, 64] [%c: %M, 64] [%d: %M] [%e: %M] {
  tile.forall (%m, %n) over %c tiles [16, 16] : memref<?x64xf32> {
    %m1 = arith.constant -1 : index
    %c16 = arith.constant 16 : index
    %pad = arith.constant 7.0 : f32
    %r0 = arith.muli %m, %c16 : index
    %c0 = arith.muli %n, %c16 : index
    %r = arith.addi %r0, %m1 : index
    %k = arith.addi %c0, %m1 : index
    %x = tile.load %a at (%r, %k) tile [16, 16] else %pad : f32 : memref<?x64xf32> -> tensor<16x16xf32>
    %y = tile.load %a at (%r0, %c0) tile [16, 16] : memref<?x64xf32> -> tensor<16x16xf32>
    %s = arith.addf %x, %y : tensor<16x16xf32>
    tile.store %s, %c at (%r0, %c0) : tensor<16x16xf32>, memref<?x64xf32>
  }
  tile.forall (%m) over %e tiles [32] : memref<?xi32> {
    %m3 = arith.constant -3 : index
    %c32 = arith.constant 32 : index
    %r0 = arith.muli %m, %c32 : index
    %r = arith.addi %r0, %m3 : index
    %x = tile.load %d at (%r) tile [32] : memref<?xi32> -> tensor<32xi32>
    tile.store %x, %e[%m] : tensor<32xi32>, memref<?xi32>
  }
}
