// y = x, of which rows have a pitch, for even numbers of rows.
tile.program @pitch<%M, %lda>(%x: memref<?x64xf32, strided<[?, 1]>>, %y: memref<?x64xf32>)
    extents [%x: %M, 64 strides %lda, 1] [%y: %M, 64] where %M mod 2 == 0 {
  tile.forall (%m, %n) over %y tiles [32, 64] : memref<?x64xf32> {
    %t = tile.load %x[%m, %n] tile [32, 64] : memref<?x64xf32, strided<[?, 1]>> -> tensor<32x64xf32>
    tile.store %t, %y[%m, %n] : tensor<32x64xf32>, memref<?x64xf32>
  }
}
