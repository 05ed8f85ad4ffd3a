// RUN: tilec run %s --world 1 --extent M=21

// Tiles smaller than any matrix instruction, down to one row, one column and one k; a product whose sums another dot
// has already laid out.
tile.program @small<%M>(%a: memref<?x32xf32>, %b: memref<32x64xf32>, %h: memref<?x64xbf16>, %w: memref<8x64xbf16>, %rows: memref<?x64xf32>, %narrow: memref<?x8xf32>, %outer: memref<?x64xf32>, %mixed: memref<?x32xf32>, %g: memref<32x64xbf16>)
    extents [%a: %M, 32] [%h: %M, 64] [%rows: %M, 64] [%narrow: %M, 8] [%outer: %M, 64] [%mixed: %M, 32] {
  tile.forall (%m) in [%M] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = tile.splat 0.0 [1, 64] : tensor<1x64xf32>
    %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> tensor<1x64xf32> {
      %x = tile.load %a[%m, %k] tile [1, 16] : memref<?x32xf32> -> tensor<1x16xf32>
      %y = tile.load %b[%k, %c0] tile [16, 64] : memref<32x64xf32> -> tensor<16x64xf32>
      %s = tile.dot %x, %y, %acc : tensor<1x16xf32>, tensor<16x64xf32>, tensor<1x64xf32>
      scf.yield %s : tensor<1x64xf32>
    }
    tile.store %sum, %rows[%m, %c0] : tensor<1x64xf32>, memref<?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 4] {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    %x = tile.load %h[%m, %c0] tile [4, 64] : memref<?x64xbf16> -> tensor<4x64xbf16>
    %y = tile.load %w[%c0, %c0] tile [8, 64] : memref<8x64xbf16> -> tensor<8x64xbf16>
    %s = tile.dot %x, transpose %y, %zero : tensor<4x64xbf16>, tensor<8x64xbf16>, tensor<4x8xf32>
    tile.store %s, %narrow[%m, %c0] : tensor<4x8xf32>, memref<?x8xf32>
  }
  tile.forall (%m) in [%M ceildiv 16] {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 1.0 [16, 64] : tensor<16x64xf32>
    %x = tile.load %a[%m, %c0] tile [16, 1] : memref<?x32xf32> -> tensor<16x1xf32>
    %y = tile.load %b[%c0, %c0] tile [1, 64] : memref<32x64xf32> -> tensor<1x64xf32>
    %s = tile.dot %x, %y, %zero : tensor<16x1xf32>, tensor<1x64xf32>, tensor<16x64xf32>
    tile.store %s, %outer[%m, %c0] : tensor<16x64xf32>, memref<?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    %x = tile.load %h[%m, %c0] tile [32, 64] : memref<?x64xbf16> -> tensor<32x64xbf16>
    %y = tile.load %g[%c0, %c0] tile [32, 64] : memref<32x64xbf16> -> tensor<32x64xbf16>
    %s = tile.dot %x, transpose %y, %zero : tensor<32x64xbf16>, tensor<32x64xbf16>, tensor<32x32xf32>
    %z = tile.load %a[%m, %c0] tile [32, 1] : memref<?x32xf32> -> tensor<32x1xf32>
    %v = tile.load %b[%c0, %c0] tile [1, 32] : memref<32x64xf32> -> tensor<1x32xf32>
    %t = tile.dot %z, %v, %s : tensor<32x1xf32>, tensor<1x32xf32>, tensor<32x32xf32>
    tile.store %t, %mixed[%m, %c0] : tensor<32x32xf32>, memref<?x32xf32>
  }
}
