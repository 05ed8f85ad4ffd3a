// y = residual + scale * gelu(x + bias), with the tanh form of gelu. x, residual, y: M x N, bf16; bias, scale: N, f32.
tile.program @elementwise<%M, %N>(%x: memref<?x?xbf16>, %residual: memref<?x?xbf16>, %bias: memref<?xf32>, %scale: memref<?xf32>,
                                  %y: memref<?x?xbf16>)
    extents [%x: %M, %N] [%residual: %M, %N] [%bias: %N] [%scale: %N] [%y: %M, %N] {
  tile.param @BM in [8, 16, 32, 64]
  tile.param @BN in [64, 128, 256]
  tile.forall (%m, %n) over %y tiles [@BM, @BN] : memref<?x?xbf16> {
    %xt = tile.load %x[%m, %n] tile [@BM, @BN] : memref<?x?xbf16> -> tensor<?x?xbf16>
    %rt = tile.load %residual[%m, %n] tile [@BM, @BN] : memref<?x?xbf16> -> tensor<?x?xbf16>
    %bt = tile.load %bias[%n] tile [@BN] : memref<?xf32> -> tensor<?xf32>
    %st = tile.load %scale[%n] tile [@BN] : memref<?xf32> -> tensor<?xf32>
    %xf = arith.extf %xt : tensor<?x?xbf16> to tensor<?x?xf32>
    %rf = arith.extf %rt : tensor<?x?xbf16> to tensor<?x?xf32>
    %bb = tile.broadcast %bt dims [1] tile [@BM, @BN] : tensor<?xf32> -> tensor<?x?xf32>
    %sb = tile.broadcast %st dims [1] tile [@BM, @BN] : tensor<?xf32> -> tensor<?x?xf32>
    %v = arith.addf %xf, %bb : tensor<?x?xf32>
    %cubic = tile.splat 0.044715 [@BM, @BN] : tensor<?x?xf32>
    %root = tile.splat 0.7978845608 [@BM, @BN] : tensor<?x?xf32>
    %one = tile.splat 1.0 [@BM, @BN] : tensor<?x?xf32>
    %half = tile.splat 0.5 [@BM, @BN] : tensor<?x?xf32>
    %v2 = arith.mulf %v, %v : tensor<?x?xf32>
    %v3 = arith.mulf %v2, %v : tensor<?x?xf32>
    %c = math.fma %v3, %cubic, %v : tensor<?x?xf32>
    %u = arith.mulf %c, %root : tensor<?x?xf32>
    %t = math.tanh %u : tensor<?x?xf32>
    %t1 = arith.addf %t, %one : tensor<?x?xf32>
    %vh = arith.mulf %v, %half : tensor<?x?xf32>
    %gelu = arith.mulf %vh, %t1 : tensor<?x?xf32>
    %r = math.fma %gelu, %sb, %rf : tensor<?x?xf32>
    %out = arith.truncf %r : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %out, %y[%m, %n] : tensor<?x?xbf16>, memref<?x?xbf16>
  }
}
