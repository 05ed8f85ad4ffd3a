// RUN: tilec %s --world 1 --emit=hip | FileCheck %s

// Whatever `schedule` computes for a loop had the loop's name: `const bool sum_5 = sum_2 & sum_4`.
// CHECK: const int whole = (a_regular & b_regular) ? tilec::minimum(count, K / 32) : 0;
// CHECK-NEXT: tilec::Tile<float, ZeroLayout> sums;
// CHECK-NEXT: if (whole > 0) {
tile.program @named<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>) extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.forall (%m, %n) over %c tiles [64, 64] : memref<?x?xf32> {
    %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
    %first = arith.constant 0 : index
    %step = arith.constant 1 : index
    %count = tile.extent [%K ceildiv 32]
    %sum = scf.for %k = %first to %count step %step iter_args(%acc = %zero) -> tensor<64x64xf32> {
      %ta = tile.load %a[%m, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
      %tb = tile.load %b[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
      %next = tile.dot %ta, transpose %tb, %acc : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %sum, %c[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
  }
}
