// No sample had a loop without iterations whose end is a sum of remainders, or one with iterations whose end is an extent
// less a constant.
// RUN: tilec %s --until=verify | FileCheck %s
// CHECK: samples = [{{.*}}[117, 200], [200, 301],
tile.program @p<%M, %N>(%a: memref<?xf32>, %b: memref<?xf32>) world 1 extents [%a: %M] [%b: %M] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %parts = tile.extent [%M mod 9 + %M mod 13]
  %rest = tile.extent [%N - 300]
  tile.forall (%i) in [%M ceildiv 64] {
    %none = tile.splat 0.0 [64] : tensor<64xf32>
    %x = scf.for %k = %zero to %parts step %one iter_args(%so_far = %none) -> (tensor<64xf32>) {
      %t = tile.load %a[%k] tile [64] : memref<?xf32> -> tensor<64xf32>
      %next = arith.addf %so_far, %t : tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    }
    %y = scf.for %k = %zero to %rest step %one iter_args(%so_far = %x) -> (tensor<64xf32>) {
      %t = tile.load %a[%k] tile [64] : memref<?xf32> -> tensor<64xf32>
      %next = arith.addf %so_far, %t : tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    }
    tile.store %y, %b[%i] : tensor<64xf32>, memref<?xf32>
  }
}
