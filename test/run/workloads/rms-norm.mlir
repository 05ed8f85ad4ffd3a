// RUN: tilec %s --world 1 --target gfx942 --emit=hip > %t.gfx942.hip && %generate --offload-arch=gfx942 %t.gfx942.hip
// RUN: %if full %{ tilec %s --world 1 --target gfx950 --emit=hip > %t.gfx950.hip && %generate --offload-arch=gfx950 %t.gfx950.hip %}
// RUN: for w in $(%some 1 2 4 3); do tilec run %s --world $w --extents-from 7,200 --launches 2 || exit 1; done

// y = x / sqrt(mean(x^2) + 1e-6) * gamma for each row of any length. x, y: M x N, bf16; gamma: N, bf16.
tile.program @rms_norm<%M, %N>(%x: memref<?x?xbf16>, %gamma: memref<?xbf16>, %y: memref<?x?xbf16>)
    extents [%x: %M, %N] [%gamma: %N] [%y: %M, %N] {
  tile.param @BM in [1, 2, 4, 8, 16, 32]
  tile.param @BN in [128, 256, 512, 1024, 2048, 4096, 8192]
  %blocks = tile.extent [%N ceildiv @BN]
  %width = tile.extent [%N]
  tile.forall (%m) in [%M ceildiv @BM] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = tile.splat 0.0 [@BM] : tensor<?xf32>
    %squares = scf.for %n = %c0 to %blocks step %c1 iter_args(%s = %none) -> tensor<?xf32> {
      %t = tile.load %x[%m, %n] tile [@BM, @BN] : memref<?x?xbf16> -> tensor<?x?xbf16>
      %f = arith.extf %t : tensor<?x?xbf16> to tensor<?x?xf32>
      %ff = arith.mulf %f, %f : tensor<?x?xf32>
      %part = tile.reduce add %ff dim 1 : tensor<?x?xf32> -> tensor<?xf32>
      %next = arith.addf %s, %part : tensor<?xf32>
      scf.yield %next : tensor<?xf32>
    }
    %width_int = arith.index_cast %width : index to i32
    %width_float = arith.sitofp %width_int : i32 to f32
    %widths = tile.splat %width_float [@BM] : tensor<?xf32>
    %mean = arith.divf %squares, %widths : tensor<?xf32>
    %eps = tile.splat 1.0e-6 [@BM] : tensor<?xf32>
    %shifted = arith.addf %mean, %eps : tensor<?xf32>
    %scale = math.rsqrt %shifted : tensor<?xf32>
    %scale_b = tile.broadcast %scale dims [0] tile [@BM, @BN] : tensor<?xf32> -> tensor<?x?xf32>
    scf.for %n = %c0 to %blocks step %c1 {
      %t = tile.load %x[%m, %n] tile [@BM, @BN] : memref<?x?xbf16> -> tensor<?x?xbf16>
      %f = arith.extf %t : tensor<?x?xbf16> to tensor<?x?xf32>
      %g = tile.load %gamma[%n] tile [@BN] : memref<?xbf16> -> tensor<?xbf16>
      %gf = arith.extf %g : tensor<?xbf16> to tensor<?xf32>
      %g_b = tile.broadcast %gf dims [1] tile [@BM, @BN] : tensor<?xf32> -> tensor<?x?xf32>
      %a = arith.mulf %f, %scale_b : tensor<?x?xf32>
      %b = arith.mulf %a, %g_b : tensor<?x?xf32>
      %out = arith.truncf %b : tensor<?x?xf32> to tensor<?x?xbf16>
      tile.store %out, %y[%m, %n] : tensor<?x?xbf16>, memref<?x?xbf16>
    }
  }
}
