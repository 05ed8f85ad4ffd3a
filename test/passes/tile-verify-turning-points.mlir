// RUN: tilec %s --until=verify | FileCheck %s

// A third tile of 300, and an extent at which a loop has no iteration: 9 of `%K mod 9`. Those that the usual values show
// already are not tried again.
// CHECK: verified = #tile.verified<{{.*}}samples = [{{.*}}[40, 40, 900], [200, 9, 200],
tile.program @turning_points<%M, %K, %N>(%a: memref<?x?xf32>, %c: memref<?x32xf32>) world 1 extents [%a: %M, %K * %N] [%c: %M, 32] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x32xf32> {
    %none = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    %rest = tile.extent [%K mod 9]
    %whole = tile.extent [%N floordiv 300 + %M floordiv 32 + (%K + 8) floordiv 8]
    %x = scf.for %k = %zero to %rest step %one iter_args(%so_far = %none) -> (tensor<32x32xf32>) {
      %t = tile.load %a[%m, %k] tile [32, 32] : memref<?x?xf32> -> tensor<32x32xf32>
      %s = arith.addf %so_far, %t : tensor<32x32xf32>
      scf.yield %s : tensor<32x32xf32>
    }
    %y = scf.for %k = %zero to %whole step %one iter_args(%so_far = %x) -> (tensor<32x32xf32>) {
      %t = tile.load %a[%m, %k] tile [32, 32] : memref<?x?xf32> -> tensor<32x32xf32>
      %s = arith.addf %so_far, %t : tensor<32x32xf32>
      scf.yield %s : tensor<32x32xf32>
    }
    tile.store %y, %c[%m, %n] : tensor<32x32xf32>, memref<?x32xf32>
  }
}
