tile.use "../lib/norms.mlir"

// h = residual + the sum over ranks of a b^T; y = RMSNorm(h) * gamma in eight bits, with a scale for each row: what stands between attention and
// the MLP of a tensor-parallel layer whose next product takes fp8. a: M x K, b: 512 x K on each rank, bf16; residual, h: M x 512; gamma: 512,
// bf16; y: M x 512, fp8; scales: M, f32. y times the scale of its row is the norm.
tile.program @matmul_all_reduce_norm<%M, %K>(%a: memref<?x?xbf16>, %b: memref<512x?xbf16>, %residual: memref<?x512xbf16>, %gamma: memref<512xbf16>,
                                             %h: memref<?x512xbf16>, %y: memref<?x512xf8E4M3FN>, %scales: memref<?xf32>)
    extents [%a: %M, %K] [%b: 512, %K] [%residual: %M, 512] [%h: %M, 512] [%y: %M, 512] [%scales: %M] {
  %part = tile.alloc [%M, 512] : memref<?x512xf32, #tile.symmetric>
  %sum = tile.alloc [%M, 512] : memref<?x512xf32, #tile.symmetric>
  tile.matmul %a, transpose %b into %part : memref<?x?xbf16>, memref<512x?xbf16>, memref<?x512xf32, #tile.symmetric>
  tile.all_reduce %part into %sum : memref<?x512xf32, #tile.symmetric>, memref<?x512xf32, #tile.symmetric>
  tile.forall (%m) in [%M ceildiv 16] {
    %c0 = arith.constant 0 : index
    %s = tile.load %sum[%m, %c0] tile [16, 512] : memref<?x512xf32, #tile.symmetric> -> tensor<16x512xf32>
    %r = tile.load %residual[%m, %c0] tile [16, 512] : memref<?x512xbf16> -> tensor<16x512xbf16>
    %rf = arith.extf %r : tensor<16x512xbf16> to tensor<16x512xf32>
    %ht = arith.addf %s, %rf : tensor<16x512xf32>
    %hb = arith.truncf %ht : tensor<16x512xf32> to tensor<16x512xbf16>
    tile.store %hb, %h[%m, %c0] : tensor<16x512xbf16>, memref<?x512xbf16>
    %width = tile.splat 512.0 [16] : tensor<16xf32>
    %g = tile.load %gamma[%c0] tile [512] : memref<512xbf16> -> tensor<512xbf16>
    %ng = tile.call @rms_norm<16, 512>(%ht, %g, %width) : (tensor<16x512xf32>, tensor<512xbf16>, tensor<16xf32>) -> tensor<16x512xf32>
    // the greatest of a row becomes 448, the greatest number of f8E4M3FN
    %size = math.absf %ng : tensor<16x512xf32>
    %most = tile.reduce maximum %size dim 1 : tensor<16x512xf32> -> tensor<16xf32>
    %tiny = tile.splat 1.0e-12 [16] : tensor<16xf32>
    %positive = arith.maximumf %most, %tiny : tensor<16xf32>
    %range = tile.splat 448.0 [16] : tensor<16xf32>
    %scale = arith.divf %positive, %range : tensor<16xf32>
    %scale_b = tile.broadcast %scale dims [0] tile [16, 512] : tensor<16xf32> -> tensor<16x512xf32>
    %q = arith.divf %ng, %scale_b : tensor<16x512xf32>
    %out = arith.truncf %q : tensor<16x512xf32> to tensor<16x512xf8E4M3FN>
    tile.store %out, %y[%m, %c0] : tensor<16x512xf8E4M3FN>, memref<?x512xf8E4M3FN>
    tile.store %scale, %scales[%m] : tensor<16xf32>, memref<?xf32>
  }
}
