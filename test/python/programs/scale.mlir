// The first rows of y = x * alpha, as many as `rows` says; those behind them stay.
tile.program @scale<%M>(%alpha: f32, %x: memref<?x64xf32>, %rows: i32, %y: memref<?x64xf32>) extents [%x: %M, 64] [%y: %M, 64] {
  %most = tile.clamp %rows upto %M : i32
  tile.forall (%m) in [%M] {
    %c0 = arith.constant 0 : index
    %within = arith.cmpi slt, %m, %most : index
    scf.if %within {
      %t = tile.load %x[%m, %c0] tile [1, 64] : memref<?x64xf32> -> tensor<1x64xf32>
      %factor = tile.splat %alpha [1, 64] : tensor<1x64xf32>
      %s = arith.mulf %t, %factor : tensor<1x64xf32>
      tile.store %s, %y[%m, %c0] : tensor<1x64xf32>, memref<?x64xf32>
    }
  }
}
