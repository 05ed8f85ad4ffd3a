// tilec crashed on this program: --target gfx942 --world 1 --pattern sequential-pull
tile.program @p<%M, %N>(%x3: memref<?x?xf32>, %out3: memref<?x?x?xf32>) extents [%x3: %N, %M] [%out3: W, %N, %M] {
  %s2 = tile.alloc [W, %N, %M] : memref<?x?x?xf32, #tile.symmetric>
  tile.forall (%b, %m, %n) in [W, %N ceildiv 16, %M ceildiv 32] {
    %t = tile.load %x3[%m, %n] tile [16, 32] : memref<?x?xf32> -> tensor<16x32xf32>
    tile.store %t, %s2[%b, %m, %n] : tensor<16x32xf32>, memref<?x?x?xf32, #tile.symmetric>
  }
  tile.forall (%m4, %n4, %l) over %out3 tiles [16, 16, 16] : memref<?x?x?xf32> {
    %t5 = tile.load %s2[%m4, %n4, %l] tile [16, 16, 16] : memref<?x?x?xf32, #tile.symmetric> -> tensor<16x16x16xf32>
  }
}
