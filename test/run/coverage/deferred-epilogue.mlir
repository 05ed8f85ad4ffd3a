// RUN: tilec %s --world 1 --target sm_90a --until=schedule | FileCheck %s
// RUN: tilec %s --world 1 --target sm_90a --emit=hip > %t.hip
// RUN: tilec run %s --world 1 --target sm_90a --text %t.hip --extent M=200 --extent N=264 --extent K=200 --units 2

// A product with a bias, a residual and an activation: the next task stores what these make of the sums.
// CHECK: tile.stream
// CHECK: tile.store_deferred[%slot]
// CHECK: arith.maximumf
// CHECK: tile.defer
tile.program @layer<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %r: memref<?x?xbf16>, %bias: memref<?xf32>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%r: %M, %N] [%bias: %N] [%c: %M, %N] {
  tile.forall (%m, %n) over %c tiles [128, 128] : memref<?x?xbf16> {
    %zero = tile.splat 0.0 [128, 128] : tensor<128x128xf32>
    %first = arith.constant 0 : index
    %step = arith.constant 1 : index
    %count = tile.extent [%K ceildiv 64]
    %sum = scf.for %k = %first to %count step %step iter_args(%acc = %zero) -> tensor<128x128xf32> {
      %ta = tile.load %a[%m, %k] tile [128, 64] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %tb = tile.load %b[%n, %k] tile [128, 64] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %next = tile.dot %ta, transpose %tb, %acc : tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %residual = tile.load %r[%m, %n] tile [128, 128] : memref<?x?xbf16> -> tensor<128x128xbf16>
    %wide = arith.extf %residual : tensor<128x128xbf16> to tensor<128x128xf32>
    %column = tile.load %bias[%n] tile [128] : memref<?xf32> -> tensor<128xf32>
    %rows = tile.broadcast %column dims [0] tile [128, 128] : tensor<128xf32> -> tensor<128x128xf32>
    %biased = arith.addf %sum, %rows : tensor<128x128xf32>
    %all = arith.addf %biased, %wide : tensor<128x128xf32>
    %active = arith.maximumf %all, %zero : tensor<128x128xf32>
    %rounded = arith.truncf %active : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %rounded, %c[%m, %n] : tensor<128x128xbf16>, memref<?x?xbf16>
  }
}
