// c = a * b^T of eight-bit floats with scales, c in bf16: one for each 128 of a row of a, and one for each 128 x 128 of b. Scales of a
// lie beside each other for rows that do. A task has two blocks of rows, which share the columns: what is read of b is used twice.
tile.use "../../examples/lib/scaled.mlir"

tile.program @matmul_block_fp8<%M, %N, %K>(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E4M3FN>, %row_scales: memref<?x?xf32>,
                                           %block_scales: memref<?x?xf32>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%row_scales: %K ceildiv 128, %M] [%block_scales: %N ceildiv 128, %K ceildiv 128] [%c: %M, %N] {
  tile.param @BM in [64, 128]
  tile.forall (%pair, %n) in [%M ceildiv (2 * @BM), %N ceildiv 128] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %m0 = arith.muli %pair, %two : index
    %m1 = arith.addi %m0, %one : index
    %blocks = tile.extent [%K ceildiv 128]
    %none = tile.splat 0.0 [@BM, 128] : tensor<?x128xf32>
    %sums:2 = scf.for %k = %zero to %blocks step %one iter_args(%sums0 = %none, %sums1 = %none)
        -> (tensor<?x128xf32>, tensor<?x128xf32>) {
      %x0 = tile.load %a[%m0, %k] tile [@BM, 128] : memref<?x?xf8E4M3FN> -> tensor<?x128xf8E4M3FN>
      %x1 = tile.load %a[%m1, %k] tile [@BM, 128] : memref<?x?xf8E4M3FN> -> tensor<?x128xf8E4M3FN>
      %w = tile.load %b[%n, %k] tile [128, 128] : memref<?x?xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %by_row0 = tile.load %row_scales[%k, %m0] tile [@BM] : memref<?x?xf32> -> tensor<?xf32>
      %by_row1 = tile.load %row_scales[%k, %m1] tile [@BM] : memref<?x?xf32> -> tensor<?xf32>
      %by_block = tile.load %block_scales[%n, %k] tile [] : memref<?x?xf32> -> tensor<f32>
      %more0 = tile.call @add_scaled<@BM, 128>(%sums0, %x0, %w, %by_row0, %by_block)
          : (tensor<?x128xf32>, tensor<?x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<?xf32>, tensor<f32>) -> tensor<?x128xf32>
      %more1 = tile.call @add_scaled<@BM, 128>(%sums1, %x1, %w, %by_row1, %by_block)
          : (tensor<?x128xf32>, tensor<?x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<?xf32>, tensor<f32>) -> tensor<?x128xf32>
      scf.yield %more0, %more1 : tensor<?x128xf32>, tensor<?x128xf32>
    }
    %rounded0 = arith.truncf %sums#0 : tensor<?x128xf32> to tensor<?x128xbf16>
    tile.store %rounded0, %c[%m0, %n] : tensor<?x128xbf16>, memref<?x?xbf16>
    %rounded1 = arith.truncf %sums#1 : tensor<?x128xf32> to tensor<?x128xbf16>
    tile.store %rounded1, %c[%m1, %n] : tensor<?x128xbf16>, memref<?x?xbf16>
  }
}
