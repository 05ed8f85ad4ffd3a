// RUN: not tilec verify %s 2>&1 | FileCheck %s --implicit-check-not=Stack
// RUN: not tilec run %s 2>&1 | FileCheck %s --implicit-check-not=Stack
// CHECK: view-that-is-no-subview.mlir:[[#@LINE+5]]:{{.*}}error: 'memref.cast' op makes a view of type 'memref<?x?xf32, #tile.symmetric>', expected 'memref.subview'

// A footprint that is read through a `memref.cast` crashed the compiler.
tile.program @c<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) world 2 extents [%a: %M, 64] [%b: %M, 64] {
  %x = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  %y = memref.cast %x : memref<?x64xf32, #tile.symmetric> to memref<?x?xf32, #tile.symmetric>
  tile.forall (%i, %j) over %a tiles [16, 64] : memref<?x64xf32> {
    %t = tile.load %a[%i, %j] tile [16, 64] : memref<?x64xf32> -> tensor<16x64xf32>
    tile.store %t, %y[%i, %j] : tensor<16x64xf32>, memref<?x?xf32, #tile.symmetric>
  }
  tile.all_reduce %x into %x : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.forall (%i, %j) over %b tiles [16, 64] : memref<?x64xf32> {
    %t = tile.load %x[%i, %j] tile [16, 64] : memref<?x64xf32, #tile.symmetric> -> tensor<16x64xf32>
    tile.store %t, %b[%i, %j] : tensor<16x64xf32>, memref<?x64xf32>
  }
}
