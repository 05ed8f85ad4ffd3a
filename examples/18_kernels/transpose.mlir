// y = transpose(x). x: M x N, y: N x M, bf16.
tile.program @transpose<%M, %N>(%x: memref<?x?xbf16>, %y: memref<?x?xbf16>) extents [%x: %M, %N] [%y: %N, %M] {
  tile.param @B in [32, 64]
  tile.forall (%n, %m) over %y tiles [@B, @B] : memref<?x?xbf16> {
    %t = tile.load %x[%m, %n] tile [@B, @B] : memref<?x?xbf16> -> tensor<?x?xbf16>
    %u = tile.transpose %t [1, 0] : tensor<?x?xbf16> -> tensor<?x?xbf16>
    tile.store %u, %y[%n, %m] : tensor<?x?xbf16>, memref<?x?xbf16>
  }
}
