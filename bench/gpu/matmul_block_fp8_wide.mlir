// The product of matmul_block_fp8.mlir in tasks of 192 columns, a block of the scales and half of one: 2112 columns are eleven of them.
// The two products of a step have registers of their own, and steps compute under those of the next one.
tile.use "../../examples/lib/scaled.mlir"

tile.program @matmul_block_fp8<%M, %N, %K>(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E4M3FN>, %row_scales: memref<?x?xf32>,
                                           %block_scales: memref<?x?xf32>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%row_scales: %K ceildiv 128, %M] [%block_scales: %N ceildiv 128, %K ceildiv 128] [%c: %M, %N] {
  tile.param @BM in [128, 64]
  tile.forall (%m, %n) in [%M ceildiv @BM, %N ceildiv 192] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %blocks = tile.extent [%K ceildiv 128]
    // Columns from 192 n on are blocks 3 n / 2 and behind it: half of one stands behind the whole one where n is even, else before it.
    %halves = arith.muli %n, %three : index
    %up = arith.addi %halves, %one : index
    %whole = arith.divui %up, %two : index
    %pair = arith.divui %n, %two : index
    %odd = arith.remui %n, %two : index
    %blocks_before = arith.muli %pair, %three : index
    %block = arith.addi %blocks_before, %one : index
    %twice = arith.muli %block, %two : index
    %half = arith.addi %twice, %odd : index
    %none = tile.splat 0.0 [@BM, 128] : tensor<?x128xf32>
    %none_half = tile.splat 0.0 [@BM, 64] : tensor<?x64xf32>
    %sums:2 = scf.for %k = %zero to %blocks step %one iter_args(%sums0 = %none, %sums1 = %none_half)
        -> (tensor<?x128xf32>, tensor<?x64xf32>) {
      %x = tile.load %a[%m, %k] tile [@BM, 128] : memref<?x?xf8E4M3FN> -> tensor<?x128xf8E4M3FN>
      %w0 = tile.load %b[%whole, %k] tile [128, 128] : memref<?x?xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %w1 = tile.load %b[%half, %k] tile [64, 128] : memref<?x?xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
      %by_row = tile.load %row_scales[%k, %m] tile [@BM] : memref<?x?xf32> -> tensor<?xf32>
      %by_block0 = tile.load %block_scales[%whole, %k] tile [] : memref<?x?xf32> -> tensor<f32>
      %by_block1 = tile.load %block_scales[%block, %k] tile [] : memref<?x?xf32> -> tensor<f32>
      %more0 = tile.call @add_scaled<@BM, 128>(%sums0, %x, %w0, %by_row, %by_block0)
          : (tensor<?x128xf32>, tensor<?x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>, tensor<?xf32>, tensor<f32>) -> tensor<?x128xf32>
      %more1 = tile.call @add_scaled<@BM, 64>(%sums1, %x, %w1, %by_row, %by_block1)
          : (tensor<?x64xf32>, tensor<?x128xf8E4M3FN>, tensor<64x128xf8E4M3FN>, tensor<?xf32>, tensor<f32>) -> tensor<?x64xf32>
      scf.yield %more0, %more1 : tensor<?x128xf32>, tensor<?x64xf32>
    }
    %rounded0 = arith.truncf %sums#0 : tensor<?x128xf32> to tensor<?x128xbf16>
    tile.store %rounded0, %c[%m, %whole] : tensor<?x128xbf16>, memref<?x?xbf16>
    %rounded1 = arith.truncf %sums#1 : tensor<?x64xf32> to tensor<?x64xbf16>
    tile.store %rounded1, %c[%m, %half] : tensor<?x64xbf16>, memref<?x?xbf16>
  }
}
