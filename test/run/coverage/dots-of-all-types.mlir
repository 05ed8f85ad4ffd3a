// RUN: tilec run %s --world 1 --extent M=40
// RUN: tilec run %s --world 1 --extent M=40 --target gfx950

// Integers, f64 and eight-bit floats of both encodings: by a matrix instruction where the target has one, else on the
// vector units.
!i8 = memref<?x64xi8>
!i32 = memref<?x32xi32>
tile.program @dots<%M>(%i8: !i8, %j8: memref<32x64xi8>, %ij8: !i32, %i32: memref<?x64xi32>, %j32: memref<64x32xi32>, %ij32: !i32, %d: memref<?x32xf64>, %e: memref<32x32xf64>, %de: memref<?x32xf64>, %o: memref<?x64xf8E4M3FN>, %p: memref<32x64xf8E4M3FN>, %op: memref<?x32xf32>, %u: memref<?x64xf8E5M2FNUZ>, %v: memref<64x32xf8E5M2FNUZ>, %uv: memref<?x32xf32>)
    extents [%i8: %M, 64] [%ij8: %M, 32] [%i32: %M, 64] [%ij32: %M, 32] [%d: %M, 32] [%de: %M, 32] [%o: %M, 64] [%op: %M, 32] [%u: %M, 64] [%uv: %M, 32] {
  tile.forall (%m) in [%M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0 [32, 32] : tensor<32x32xi32>
    %a8 = tile.load %i8[%m, %c0] tile [32, 64] : !i8 -> tensor<32x64xi8>
    %b8 = tile.load %j8[%c0, %c0] tile [32, 64] : memref<32x64xi8> -> tensor<32x64xi8>
    %s8 = tile.dot %a8, transpose %b8, %zero : tensor<32x64xi8>, tensor<32x64xi8>, tensor<32x32xi32>
    tile.store %s8, %ij8[%m, %c0] : tensor<32x32xi32>, !i32
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = tile.splat 7 [32, 32] : tensor<32x32xi32>
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> tensor<32x32xi32> {
      %a = tile.load %i32[%m, %k] tile [32, 16] : memref<?x64xi32> -> tensor<32x16xi32>
      %b = tile.load %j32[%k, %c0] tile [16, 32] : memref<64x32xi32> -> tensor<16x32xi32>
      %s = tile.dot %a, %b, %acc : tensor<32x16xi32>, tensor<16x32xi32>, tensor<32x32xi32>
      scf.yield %s : tensor<32x32xi32>
    }
    tile.store %sum, %ij32[%m, %c0] : tensor<32x32xi32>, !i32
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 [32, 32] : tensor<32x32xf64>
    %a = tile.load %d[%m, %c0] tile [32, 32] : memref<?x32xf64> -> tensor<32x32xf64>
    %b = tile.load %e[%c0, %c0] tile [32, 32] : memref<32x32xf64> -> tensor<32x32xf64>
    %s = tile.dot %a, %b, %zero : tensor<32x32xf64>, tensor<32x32xf64>, tensor<32x32xf64>
    tile.store %s, %de[%m, %c0] : tensor<32x32xf64>, memref<?x32xf64>
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    %a = tile.load %o[%m, %c0] tile [32, 64] : memref<?x64xf8E4M3FN> -> tensor<32x64xf8E4M3FN>
    %b = tile.load %p[%c0, %c0] tile [32, 64] : memref<32x64xf8E4M3FN> -> tensor<32x64xf8E4M3FN>
    %s = tile.dot %a, transpose %b, %zero accumulate exact : tensor<32x64xf8E4M3FN>, tensor<32x64xf8E4M3FN>, tensor<32x32xf32>
    tile.store %s, %op[%m, %c0] : tensor<32x32xf32>, memref<?x32xf32>
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    %a = tile.load %u[%m, %c0] tile [32, 64] : memref<?x64xf8E5M2FNUZ> -> tensor<32x64xf8E5M2FNUZ>
    %b = tile.load %v[%c0, %c0] tile [64, 32] : memref<64x32xf8E5M2FNUZ> -> tensor<64x32xf8E5M2FNUZ>
    %s = tile.dot %a, %b, %zero accumulate fast : tensor<32x64xf8E5M2FNUZ>, tensor<64x32xf8E5M2FNUZ>, tensor<32x32xf32>
    tile.store %s, %uv[%m, %c0] : tensor<32x32xf32>, memref<?x32xf32>
  }
}
