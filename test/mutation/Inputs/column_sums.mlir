// Sums that cross waves, again and again in one task: what the barriers inside of a reduction are for.
tile.program @column_sums<%M>(%a: memref<?x128xf32>, %s: memref<128xf32>) extents [%a: %M, 128] [%s: 128] {
  tile.forall (%n) over %s tiles [64] : memref<128xf32> {
    %zero = tile.splat 0.0 [64] : tensor<64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %steps = arith.constant 4 : index
    %sums = scf.for %k = %c0 to %steps step %c1 iter_args(%sum = %zero) -> tensor<64xf32> {
      %x = tile.load %a[%k, %n] tile [64, 64] : memref<?x128xf32> -> tensor<64x64xf32>
      %part = tile.reduce add %x dim 0 : tensor<64x64xf32> -> tensor<64xf32>
      %next = arith.addf %sum, %part : tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    }
    tile.store %sums, %s[%n] : tensor<64xf32>, memref<128xf32>
  }
}
