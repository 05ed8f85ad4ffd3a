// RUN: tilec %s --world 1 --target gfx942 --emit=hip > %t.gfx942.hip && %generate --offload-arch=gfx942 %t.gfx942.hip
// RUN: %if full %{ tilec %s --world 1 --target gfx950 --emit=hip > %t.gfx950.hip && %generate --offload-arch=gfx950 %t.gfx950.hip %}
// RUN: tilec run %s --world 1 --extents-from 40,200,300 --launches 2

tile.use "../../../examples/lib/packed.mlir"

// Weights of MXFP4, unpacked; exponents are kept off the ends, where products have no bits left.
tile.program @unpack<%N, %K>(%b: memref<?x?xi8>, %scales: memref<?x?xi8>, %c: memref<?x?xbf16>)
    extents [%b: %N, %K ceildiv 2] [%scales: %N, %K ceildiv 32] [%c: %N, %K] {
  tile.forall (%n, %k) over %c tiles [64, 128] : memref<?x?xbf16> {
    %bytes = tile.load %b[%n, %k] tile [64, 64] : memref<?x?xi8> -> tensor<64x64xi8>
    %exponents = tile.load %scales[%n, %k] tile [64, 4] : memref<?x?xi8> -> tensor<64x4xi8>
    %low = tile.splat 64 [64, 4] : tensor<64x4xi8>
    %high = tile.splat 127 [64, 4] : tensor<64x4xi8>
    %least = arith.maxui %exponents, %low : tensor<64x4xi8>
    %kept = arith.minui %least, %high : tensor<64x4xi8>
    %each = tile.call @powers_of_two<64, 4>(%kept) : (tensor<64x4xi8>) -> tensor<64x4xbf16>
    %w = tile.call @unpack_fp4<64, 64, 128>(%bytes) : (tensor<64x64xi8>) -> tensor<64x128xbf16>
    %scaled = tile.call @scale_parts<64, 4, 32, 128>(%w, %each) : (tensor<64x128xbf16>, tensor<64x4xbf16>) -> tensor<64x128xbf16>
    tile.store %scaled, %c[%n, %k] : tensor<64x128xbf16>, memref<?x?xbf16>
  }
}
