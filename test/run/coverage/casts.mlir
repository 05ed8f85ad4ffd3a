// RUN: tilec run %s --world 1

// Conversions between all types.
tile.program @casts<%M>(%a: memref<?x64xf32>, %h: memref<?x64xf16>, %b: memref<?x64xbf16>, %i: memref<?x64xi32>, %c: memref<?x64xi8>, %d: memref<?x64xf64>, %e: memref<?x64xf8E4M3FN>, %g: memref<?x64xf8E5M2FNUZ>, %back: memref<?x64xf32>, %round: memref<?x64xf16>) extents [%a: %M, 64] [%h: %M, 64] [%b: %M, 64] [%i: %M, 64] [%c: %M, 64] [%d: %M, 64] [%e: %M, 64] [%g: %M, 64] [%back: %M, 64] [%round: %M, 64] {
  tile.forall (%m, %n) over %a tiles [16, 32] : memref<?x64xf32> {
    %x = tile.load %a[%m, %n] tile [16, 32] : memref<?x64xf32> -> tensor<16x32xf32>
    %0 = arith.truncf %x : tensor<16x32xf32> to tensor<16x32xf16>
    tile.store %0, %h[%m, %n] : tensor<16x32xf16>, memref<?x64xf16>
    %1 = arith.truncf %x : tensor<16x32xf32> to tensor<16x32xbf16>
    tile.store %1, %b[%m, %n] : tensor<16x32xbf16>, memref<?x64xbf16>
    %2 = arith.fptosi %x : tensor<16x32xf32> to tensor<16x32xi32>
    tile.store %2, %i[%m, %n] : tensor<16x32xi32>, memref<?x64xi32>
    %3 = arith.trunci %2 : tensor<16x32xi32> to tensor<16x32xi8>
    tile.store %3, %c[%m, %n] : tensor<16x32xi8>, memref<?x64xi8>
    %4 = arith.extf %0 : tensor<16x32xf16> to tensor<16x32xf64>
    tile.store %4, %d[%m, %n] : tensor<16x32xf64>, memref<?x64xf64>
    %5 = arith.truncf %x : tensor<16x32xf32> to tensor<16x32xf8E4M3FN>
    tile.store %5, %e[%m, %n] : tensor<16x32xf8E4M3FN>, memref<?x64xf8E4M3FN>
    %6 = arith.truncf %x : tensor<16x32xf32> to tensor<16x32xf8E5M2FNUZ>
    tile.store %6, %g[%m, %n] : tensor<16x32xf8E5M2FNUZ>, memref<?x64xf8E5M2FNUZ>
    %7 = arith.extf %5 : tensor<16x32xf8E4M3FN> to tensor<16x32xf32>
    %8 = arith.extf %6 : tensor<16x32xf8E5M2FNUZ> to tensor<16x32xf32>
    %9 = arith.extsi %3 : tensor<16x32xi8> to tensor<16x32xi32>
    %10 = arith.sitofp %9 : tensor<16x32xi32> to tensor<16x32xf32>
    %11 = arith.uitofp %3 : tensor<16x32xi8> to tensor<16x32xf32>
    %12 = arith.extui %3 : tensor<16x32xi8> to tensor<16x32xi32>
    %13 = arith.sitofp %12 : tensor<16x32xi32> to tensor<16x32xf32>
    %14 = arith.addf %7, %8 : tensor<16x32xf32>
    %15 = arith.addf %10, %11 : tensor<16x32xf32>
    %16 = arith.addf %13, %14 : tensor<16x32xf32>
    %17 = arith.addf %15, %16 : tensor<16x32xf32>
    tile.store %17, %back[%m, %n] : tensor<16x32xf32>, memref<?x64xf32>
    %18 = arith.truncf %4 : tensor<16x32xf64> to tensor<16x32xf16>
    tile.store %18, %round[%m, %n] : tensor<16x32xf16>, memref<?x64xf16>
  }
}
