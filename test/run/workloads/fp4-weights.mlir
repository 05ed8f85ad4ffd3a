// RUN: tilec %s --world 1 --target gfx942 --emit=hip > %t.gfx942.hip && %generate --offload-arch=gfx942 %t.gfx942.hip
// RUN: %if full %{ tilec %s --world 1 --target gfx950 --emit=hip > %t.gfx950.hip && %generate --offload-arch=gfx950 %t.gfx950.hip %}
// RUN: for t in $(%some sm_90a gfx942 gfx950); do tilec run %s --world 1 --target $t --extents-from 40,200,300 --launches 2 || exit 1; done

tile.use "../../../examples/lib/packed.mlir"

// c = a * b^T with weights of floats of four bits, two in a byte, and a float of eight bits for each 16 of a row, as NVFP4 has them.
tile.program @fp4_weights<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xi8>, %scales: memref<?x?xf8E4M3FN>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K ceildiv 2] [%scales: %N, %K ceildiv 16] [%c: %M, %N] {
  tile.param @BM in [64, 16]
  tile.param @BN in [64, 128]
  tile.forall (%m, %n) over %c tiles [@BM, @BN] : memref<?x?xbf16> {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %parts = tile.extent [%K ceildiv 128]
    %none = tile.splat 0.0 [@BM, @BN] : tensor<?x?xf32>
    %sums = scf.for %k = %zero to %parts step %one iter_args(%before = %none) -> (tensor<?x?xf32>) {
      %x = tile.load %a[%m, %k] tile [@BM, 128] : memref<?x?xbf16> -> tensor<?x128xbf16>
      %bytes = tile.load %b[%n, %k] tile [@BN, 64] : memref<?x?xi8> -> tensor<?x64xi8>
      %eight = tile.load %scales[%n, %k] tile [@BN, 8] : memref<?x?xf8E4M3FN> -> tensor<?x8xf8E4M3FN>
      %each = arith.extf %eight : tensor<?x8xf8E4M3FN> to tensor<?x8xbf16>
      %w = tile.call @unpack_fp4<@BN, 64, 128>(%bytes) : (tensor<?x64xi8>) -> tensor<?x128xbf16>
      %scaled = tile.call @scale_parts<@BN, 8, 16, 128>(%w, %each) : (tensor<?x128xbf16>, tensor<?x8xbf16>) -> tensor<?x128xbf16>
      %after = tile.dot %x, transpose %scaled, %before : tensor<?x128xbf16>, tensor<?x128xbf16>, tensor<?x?xf32>
      scf.yield %after : tensor<?x?xf32>
    }
    %rounded = arith.truncf %sums : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %rounded, %c[%m, %n] : tensor<?x?xbf16>, memref<?x?xbf16>
  }
}
