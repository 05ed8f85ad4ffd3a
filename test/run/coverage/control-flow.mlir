// RUN: tilec run %s --world 1

// Branches and nested loops with tiles as results, of which some change their layout.
tile.program @control_flow<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%b: %M, 64] [%c: %M, 64] {
  tile.forall (%m, %n) over %c tiles [16, 16] : memref<?x64xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %x = tile.load %a[%m, %n] tile [16, 16] : memref<?x64xf32> -> tensor<16x16xf32>
    %zero = tile.splat 0.0 [16, 16] : tensor<16x16xf32>
    %rem = arith.remsi %m, %c2 : index
    %even = arith.cmpi eq, %rem, %c0 : index
    %picked = scf.if %even -> tensor<16x16xf32> {
      %y = tile.load %b[%m, %n] tile [16, 16] : memref<?x64xf32> -> tensor<16x16xf32>
      %s = arith.addf %x, %y : tensor<16x16xf32>
      scf.yield %s : tensor<16x16xf32>
    } else {
      scf.yield %x : tensor<16x16xf32>
    }
    %sum, %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %picked, %q = %zero) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
      %inner = scf.for %j = %c0 to %i step %c1 iter_args(%r = %p) -> tensor<16x16xf32> {
        %z = tile.load %b[%m, %j] tile [16, 16] : memref<?x64xf32> -> tensor<16x16xf32>
        %w = arith.addf %r, %z : tensor<16x16xf32>
        scf.yield %w : tensor<16x16xf32>
      }
      %t = tile.transpose %inner [1, 0] : tensor<16x16xf32> -> tensor<16x16xf32>
      %one = arith.cmpi eq, %i, %c1 : index
      %u = scf.if %one -> tensor<16x16xf32> {
        scf.yield %t : tensor<16x16xf32>
      } else {
        scf.yield %p : tensor<16x16xf32>
      }
      scf.yield %u, %p : tensor<16x16xf32>, tensor<16x16xf32>
    }
    %i32 = arith.index_cast %n : index to i32
    %f = arith.sitofp %i32 : i32 to f32
    %fs = tile.splat %f [16, 16] : tensor<16x16xf32>
    %e = arith.addf %sum, %last : tensor<16x16xf32>
    %g = arith.addf %e, %fs : tensor<16x16xf32>
    scf.if %even {
      tile.store %g, %c[%m, %n] : tensor<16x16xf32>, memref<?x64xf32>
    } else {
      tile.store %x, %c[%m, %n] : tensor<16x16xf32>, memref<?x64xf32>
    }
  }
}
