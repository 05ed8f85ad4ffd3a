// RUN: tilec run %s --world 1 --extent M=70

// A tile without a dimension is a value like any other.
tile.program @scalars<%M>(%a: memref<?xf32>, %o: memref<?xf32>, %b: memref<?x64xbf16>, %c: memref<?xf32>) extents [%a: %M] [%o: %M] [%b: %M, 64] [%c: %M] {
  tile.forall (%m) over %o tiles [64] : memref<?xf32> {
    %c0 = arith.constant 0 : index
    %x = tile.load %a[%m] tile [64] : memref<?xf32> -> tensor<64xf32>
    %most = tile.reduce maximum %x dim 0 : tensor<64xf32> -> tensor<f32>
    %two = tile.splat 2.0 [] : tensor<f32>
    %first = tile.load %a[%m] tile [] : memref<?xf32> -> tensor<f32>
    %twice = arith.mulf %most, %two : tensor<f32>
    %s = arith.addf %twice, %first : tensor<f32>
    %row = tile.broadcast %s dims [] tile [64] : tensor<f32> -> tensor<64xf32>
    %y = arith.addf %x, %row : tensor<64xf32>
    tile.store %y, %o[%m] : tensor<64xf32>, memref<?xf32>
  }
  tile.forall (%m) in [%M] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = tile.splat 0.0 [] : tensor<f32>
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%t = %zero) -> tensor<f32> {
      %x = tile.load %b[%m, %k] tile [16] : memref<?x64xbf16> -> tensor<16xbf16>
      %w = arith.extf %x : tensor<16xbf16> to tensor<16xf32>
      %part = tile.reduce add %w dim 0 : tensor<16xf32> -> tensor<f32>
      %u = arith.addf %t, %part : tensor<f32>
      scf.yield %u : tensor<f32>
    }
    %cell = tile.broadcast %sum dims [] tile [1, 1] : tensor<f32> -> tensor<1x1xf32>
    %one = tile.reshape %cell tile [] : tensor<1x1xf32> -> tensor<f32>
    tile.store %one, %c[%m] : tensor<f32>, memref<?xf32>
  }
}
