// RUN: tilec run %s --world 2 --launches 2
// RUN: tilec run %s --world 2 --target sm_90a --race
// RUN: tilec run %s --world 1 --target gfx950 --extent M=33 --memory weak

// Integers that need more than 32 bits, and more than the 53 of a double: arithmetic, casts, reductions over lanes and waves, products, sums over
// ranks, atomics of many workgroups.
tile.program @wide_integers<%M>(%a: memref<?x64xi64>, %s: memref<?xi64>, %t: memref<64xi64>, %f: memref<?x64xf32>, %n: memref<?x64xi32>, %d: memref<?x32xi64>,
                                %p: memref<64x32xi64>, %r: memref<64xi64, #tile.symmetric>, %g: memref<64xi64>)
    extents [%a: %M, 64] [%s: %M] [%f: %M, 64] [%n: %M, 64] [%d: %M, 32] {
  %x = tile.alloc [%M, 64] : memref<?x64xi64>
  %sums = tile.alloc [64] : memref<64xi64, #tile.symmetric>
  %most = tile.alloc [64] : memref<64xi64, #tile.symmetric>
  tile.forall (%m) over %s tiles [32] : memref<?xi64> {
    %c0 = arith.constant 0 : index
    %v = tile.load %a[%m, %c0] tile [32, 64] : memref<?x64xi64> -> tensor<32x64xi64>
    %far = tile.splat 1152921504606846977 [32, 64] : tensor<32x64xi64>
    %wide = arith.muli %v, %far : tensor<32x64xi64>
    tile.store %wide, %x[%m, %c0] : tensor<32x64xi64>, memref<?x64xi64>
    %row = tile.reduce maximum %wide dim 1 : tensor<32x64xi64> -> tensor<32xi64>
    tile.store %row, %s[%m] : tensor<32xi64>, memref<?xi64>
    %float = arith.sitofp %v : tensor<32x64xi64> to tensor<32x64xf32>
    tile.store %float, %f[%m, %c0] : tensor<32x64xf32>, memref<?x64xf32>
    %by = tile.splat 40 [32, 64] : tensor<32x64xi64>
    %high = arith.shrui %wide, %by : tensor<32x64xi64>
    %low = arith.trunci %high : tensor<32x64xi64> to tensor<32x64xi32>
    tile.store %low, %n[%m, %c0] : tensor<32x64xi32>, memref<?x64xi32>
  }
  tile.forall (%z) in [1] {
    %c0 = arith.constant 0 : index
    %none = tile.splat 0 [64] : tensor<64xi64>
    tile.store %none, %sums[%c0] : tensor<64xi64>, memref<64xi64, #tile.symmetric>
    tile.store %none, %most[%c0] : tensor<64xi64>, memref<64xi64, #tile.symmetric>
  }
  tile.forall (%m) in [%M ceildiv 16] {
    %c0 = arith.constant 0 : index
    %wide = tile.load %x[%m, %c0] tile [16, 64] : memref<?x64xi64> -> tensor<16x64xi64>
    %column = tile.reduce xor %wide dim 0 : tensor<16x64xi64> -> tensor<64xi64>
    tile.atomic add %column, %sums[%c0] : tensor<64xi64>, memref<64xi64, #tile.symmetric>
    %greatest = tile.reduce product %wide dim 0 : tensor<16x64xi64> -> tensor<64xi64>
    tile.atomic maximum %greatest, %most[%c0] : tensor<64xi64>, memref<64xi64, #tile.symmetric>
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0 [32, 32] : tensor<32x32xi64>
    %left = tile.load %x[%m, %c0] tile [32, 64] : memref<?x64xi64> -> tensor<32x64xi64>
    %right = tile.load %p[%c0, %c0] tile [64, 32] : memref<64x32xi64> -> tensor<64x32xi64>
    %product = tile.dot %left, %right, %zero : tensor<32x64xi64>, tensor<64x32xi64>, tensor<32x32xi64>
    tile.store %product, %d[%m, %c0] : tensor<32x32xi64>, memref<?x32xi64>
  }
  tile.all_reduce %sums into %r : memref<64xi64, #tile.symmetric>, memref<64xi64, #tile.symmetric>
  tile.all_reduce minimum %most into %g : memref<64xi64, #tile.symmetric>, memref<64xi64>
  tile.matmul %x, %p into %d : memref<?x64xi64>, memref<64x32xi64>, memref<?x32xi64>
  tile.forall (%m) over %t tiles [32] : memref<64xi64> {
    %v = tile.load %r[%m] tile [32] : memref<64xi64, #tile.symmetric> -> tensor<32xi64>
    %far = tile.splat -4611686018427387903 [32] : tensor<32xi64>
    %sum = arith.subi %v, %far : tensor<32xi64>
    tile.store %sum, %t[%m] : tensor<32xi64>, memref<64xi64>
  }
}
