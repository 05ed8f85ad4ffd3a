// b = a, tile by tile.
tile.program @copy<%M>(%a: memref<?x256xf32>, %b: memref<?x256xf32>) extents [%a: %M, 256] [%b: %M, 256] {
  tile.param @BM in [32, 64, 128]
  tile.forall (%m, %n) over %b tiles [@BM, 64] : memref<?x256xf32> {
    %t = tile.load %a[%m, %n] tile [@BM, 64] : memref<?x256xf32> -> tensor<?x64xf32>
    tile.store %t, %b[%m, %n] : tensor<?x64xf32>, memref<?x256xf32>
  }
}
