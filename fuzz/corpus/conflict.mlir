tile.program @p(%c: memref<64x64xf32>) {
  %zero = arith.constant 0 : index
  tile.forall (%m, %n) over %c tiles [16, 16] : memref<64x64xf32> {
    %t = tile.splat 0.0 [16, 16] : tensor<16x16xf32>
    tile.atomic add %t, %c[%m, %zero] : tensor<16x16xf32>, memref<64x64xf32>
  }
}
