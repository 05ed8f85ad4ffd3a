// RUN: tilec run %s --world 1 --extent M=45

// Loops that carry scalars beside tiles, branches that yield scalars, sizes of views, steps of loops.
tile.program @carried<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%c: %M, 64] {
  tile.forall (%m) in [%M ceildiv 8] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %rows = memref.dim %a, %c0 : memref<?x64xf32>
    %one = arith.constant 1.0 : f32
    %start = arith.constant 0 : i32
    %zero = tile.splat 0.0 [8, 8] : tensor<8x8xf32>
    %scale, %turn, %sum = scf.for %k = %c0 to %c8 step %c3 iter_args(%s = %one, %i = %start, %t = %zero) -> (f32, i32, tensor<8x8xf32>) {
      %odd = arith.remui %k, %c2 : index
      %isOdd = arith.cmpi eq, %odd, %c1 : index
      %factor = scf.if %isOdd -> f32 {
        %f = arith.constant 0.5 : f32
        scf.yield %f : f32
      } else {
        %f = arith.constant 2.0 : f32
        scf.yield %f : f32
      }
      %next = arith.mulf %s, %factor : f32
      %tile = tile.load %a[%m, %k] tile [8, 8] : memref<?x64xf32> -> tensor<8x8xf32>
      %many = tile.splat %next [8, 8] : tensor<8x8xf32>
      %part = arith.mulf %tile, %many : tensor<8x8xf32>
      %u = arith.addf %t, %part : tensor<8x8xf32>
      %step = arith.constant 3 : i32
      %j = arith.addi %i, %step : i32
      scf.yield %next, %j, %u : f32, i32, tensor<8x8xf32>
    }
    %last = arith.sitofp %turn : i32 to f32
    %n = arith.index_cast %rows : index to i32
    %nf = arith.sitofp %n : i32 to f32
    %p = arith.addf %last, %nf : f32
    %q = arith.mulf %p, %scale : f32
    %splat = tile.splat %q [8, 8] : tensor<8x8xf32>
    %out = arith.addf %sum, %splat : tensor<8x8xf32>
    scf.for %k = %c0 to %c8 step %c1 {
      tile.store %out, %c[%m, %k] : tensor<8x8xf32>, memref<?x64xf32>
    }
  }
}
