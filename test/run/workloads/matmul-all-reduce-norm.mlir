// RUN: tilec %s --world 4 --target gfx942 --emit=hip > %t.gfx942.hip && %machine --offload-arch=gfx942 %t.gfx942.hip
// RUN: tilec %s --world 4 --target gfx950 --emit=hip > %t.gfx950.hip && %generate --offload-arch=gfx950 %t.gfx950.hip
// RUN: for w in 1 2 3 4; do tilec run %s --world $w --extents-from 7,40 --launches 2 || exit 1; done

// h = residual + the sum over ranks of a b^T; y = RMSNorm(h) * gamma: what stands between attention and the MLP of a tensor-parallel
// layer. a: M x K, b: 512 x K on each rank, bf16; residual, h, y: M x 512; gamma: 512, bf16.
tile.program @matmul_all_reduce_norm<%M, %K>(%a: memref<?x?xbf16>, %b: memref<512x?xbf16>, %residual: memref<?x512xbf16>,
                                             %gamma: memref<512xbf16>, %h: memref<?x512xbf16>, %y: memref<?x512xbf16>)
    extents [%a: %M, %K] [%b: 512, %K] [%residual: %M, 512] [%h: %M, 512] [%y: %M, 512] {
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
    %hh = arith.mulf %ht, %ht : tensor<16x512xf32>
    %squares = tile.reduce add %hh dim 1 : tensor<16x512xf32> -> tensor<16xf32>
    %width = tile.splat 512.0 [16] : tensor<16xf32>
    %mean = arith.divf %squares, %width : tensor<16xf32>
    %eps = tile.splat 1.0e-6 [16] : tensor<16xf32>
    %shifted = arith.addf %mean, %eps : tensor<16xf32>
    %scale = math.rsqrt %shifted : tensor<16xf32>
    %scale_b = tile.broadcast %scale dims [0] tile [16, 512] : tensor<16xf32> -> tensor<16x512xf32>
    %g = tile.load %gamma[%c0] tile [512] : memref<512xbf16> -> tensor<512xbf16>
    %gf = arith.extf %g : tensor<512xbf16> to tensor<512xf32>
    %g_b = tile.broadcast %gf dims [1] tile [16, 512] : tensor<512xf32> -> tensor<16x512xf32>
    %n = arith.mulf %ht, %scale_b : tensor<16x512xf32>
    %ng = arith.mulf %n, %g_b : tensor<16x512xf32>
    %out = arith.truncf %ng : tensor<16x512xf32> to tensor<16x512xbf16>
    tile.store %out, %y[%m, %c0] : tensor<16x512xbf16>, memref<?x512xbf16>
  }
}
