// RUN: tilec verify %s --world 1

// A sum in place: the task loads what it stores to.
tile.program @added<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>) extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
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
    %before = tile.load %c[%m, %n] tile [128, 128] : memref<?x?xbf16> -> tensor<128x128xbf16>
    %wide = arith.extf %before : tensor<128x128xbf16> to tensor<128x128xf32>
    %all = arith.addf %sum, %wide : tensor<128x128xf32>
    %rounded = arith.truncf %all : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %rounded, %c[%m, %n] : tensor<128x128xbf16>, memref<?x?xbf16>
  }
}
