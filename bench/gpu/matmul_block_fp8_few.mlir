// The product of matmul_block_fp8.mlir where there are few tiles: a task has one block of rows.
tile.use "../../examples/lib/scaled.mlir"

tile.program @matmul_block_fp8<%M, %N, %K>(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E4M3FN>, %row_scales: memref<?x?xf32>,
                                           %block_scales: memref<?x?xf32>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%row_scales: %K ceildiv 128, %M] [%block_scales: %N ceildiv 128, %K ceildiv 128] [%c: %M, %N] {
  tile.param @BM in [64, 128]
  tile.forall (%m, %n) over %c tiles [@BM, 128] : memref<?x?xbf16> {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %blocks = tile.extent [%K ceildiv 128]
    %none = tile.splat 0.0 [@BM, 128] : tensor<?x128xf32>
    %sums = scf.for %k = %zero to %blocks step %one iter_args(%before = %none) -> (tensor<?x128xf32>) {
      %x = tile.load %a[%m, %k] tile [@BM, 128] : memref<?x?xf8E4M3FN> -> tensor<?x128xf8E4M3FN>
      %w = tile.load %b[%n, %k] tile [128, 128] : memref<?x?xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %by_row = tile.load %row_scales[%k, %m] tile [@BM] : memref<?x?xf32> -> tensor<?xf32>
      %by_block = tile.load %block_scales[%n, %k] tile [] : memref<?x?xf32> -> tensor<f32>
      %after = tile.call @add_scaled<@BM, 128>(%before, %x, %w, %by_row, %by_block)
          : (tensor<?x128xf32>, tensor<?x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<?xf32>, tensor<f32>) -> tensor<?x128xf32>
      scf.yield %after : tensor<?x128xf32>
    }
    %rounded = arith.truncf %sums : tensor<?x128xf32> to tensor<?x128xbf16>
    tile.store %rounded, %c[%m, %n] : tensor<?x128xbf16>, memref<?x?xbf16>
  }
}
