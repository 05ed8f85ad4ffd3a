// RUN: tilec %s --world 1 --target gfx942 --emit=hip > %t.gfx942.hip && %generate --offload-arch=gfx942 %t.gfx942.hip
// RUN: %if full %{ tilec %s --world 1 --target gfx950 --emit=hip > %t.gfx950.hip && %generate --offload-arch=gfx950 %t.gfx950.hip %}
// RUN: for t in $(%some gfx942 sm_90a gfx950); do tilec run %s --world 1 --target $t --extents-from 40,200,300 --launches 2 || exit 1; done

tile.use "../../../examples/lib/packed.mlir"

// c = a * b^T with weights of four bits, two in a byte, and a scale for each 128 of a row.
tile.program @int4_weights<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xi8>, %scales: memref<?x?xf32>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K ceildiv 2] [%scales: %K ceildiv 128, %N] [%c: %M, %N] {
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
      %w = tile.call @unpack_int4<@BN, 64, 128>(%bytes) : (tensor<?x64xi8>) -> tensor<?x128xbf16>
      %product = tile.dot %x, transpose %w, %none : tensor<?x128xbf16>, tensor<?x128xbf16>, tensor<?x?xf32>
      %scale = tile.load %scales[%k, %n] tile [@BN] : memref<?x?xf32> -> tensor<?xf32>
      %by_column = tile.broadcast %scale dims [1] tile [@BM, @BN] : tensor<?xf32> -> tensor<?x?xf32>
      %scaled = arith.mulf %product, %by_column : tensor<?x?xf32>
      %after = arith.addf %before, %scaled : tensor<?x?xf32>
      scf.yield %after : tensor<?x?xf32>
    }
    %rounded = arith.truncf %sums : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %rounded, %c[%m, %n] : tensor<?x?xbf16>, memref<?x?xbf16>
  }
}
