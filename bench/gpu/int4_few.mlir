// c = a * b^T of few rows, with weights of four bits, two in a byte, and a scale for each 128 of a row: the depth is shared out, and the
// last task of a tile adds the parts.
tile.use "../../examples/lib/packed.mlir"

tile.program @int4_few<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xi8>, %scales: memref<?x?xf32>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K ceildiv 2] [%scales: %K ceildiv 128, %N] [%c: %M, %N] {
  tile.param @SPLITS in [2, 4, 8, 16] default 2
  tile.param @BM in [16, 32, 64]
  tile.param @BN in [64, 128] default 64
  %sums = tile.alloc [@SPLITS, %M, %N] : memref<?x?x?xf32>
  %blocks = tile.extent [%K ceildiv 128]
  %share = tile.extent [(%K ceildiv 128) ceildiv @SPLITS]
  %splits = tile.extent [@SPLITS]
  tile.forall (%s, %m, %n) in [@SPLITS, %M ceildiv @BM, %N ceildiv @BN] {
    %one = arith.constant 1 : index
    %begin = arith.muli %s, %share : index
    %beyond = arith.addi %begin, %share : index
    %end = arith.minui %beyond, %blocks : index
    %none = tile.splat 0.0 [@BM, @BN] : tensor<?x?xf32>
    %sum = scf.for %k = %begin to %end step %one iter_args(%before = %none) -> (tensor<?x?xf32>) {
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
    tile.store %sum, %sums[%s, %m, %n] : tensor<?x?xf32>, memref<?x?x?xf32>
  }
  tile.forall (%m, %n) in [%M ceildiv @BM, %N ceildiv @BN] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %none = tile.splat 0.0 [@BM, @BN] : tensor<?x?xf32>
    %total = scf.for %s = %zero to %splits step %one iter_args(%before = %none) -> (tensor<?x?xf32>) {
      %part = tile.load %sums[%s, %m, %n] tile [@BM, @BN] : memref<?x?x?xf32> -> tensor<?x?xf32>
      %after = arith.addf %before, %part : tensor<?x?xf32>
      scf.yield %after : tensor<?x?xf32>
    }
    %out = arith.truncf %total : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %out, %c[%m, %n] : tensor<?x?xbf16>, memref<?x?xbf16>
  }
}
