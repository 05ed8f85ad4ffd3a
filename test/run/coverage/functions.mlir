// RUN: tilec run %s --world 1 --launches 2
// RUN: tilec run %s --world 1 --target sm_90a
// RUN: sed 's/f32/bf16/g' %s > %t.bf16.mlir && tilec run %t.bf16.mlir --world 1 --target gfx950
// RUN: sed 's/f32/f16/g' %s > %t.f16.mlir && tilec run %t.f16.mlir --world 1
// RUN: tilec %s --world 1 --emit=hip | FileCheck %s

// CHECK-DAG: tilec::sin(
// CHECK-DAG: tilec::cos(
// CHECK-DAG: tilec::pow(
// CHECK-DAG: tilec::cbrt(
// CHECK-DAG: tilec::log10(
// CHECK-DAG: tilec::log1p(
// CHECK-DAG: tilec::expm1(
// CHECK-DAG: tilec::sinh(
// CHECK-DAG: tilec::cosh(

// Functions that the device headers compute in double, each stored apart so that no other error hides its own; great angles too.
tile.program @functions<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>, %sin: memref<?x64xf32>, %cos: memref<?x64xf32>, %pow: memref<?x64xf32>,
                            %squares: memref<?x64xf32>, %cbrt: memref<?x64xf32>, %log10: memref<?x64xf32>, %log1p: memref<?x64xf32>, %expm1: memref<?x64xf32>,
                            %sinh: memref<?x64xf32>, %cosh: memref<?x64xf32>)
    extents [%a: %M, 64] [%b: %M, 64] [%sin: %M, 64] [%cos: %M, 64] [%pow: %M, 64] [%squares: %M, 64] [%cbrt: %M, 64] [%log10: %M, 64] [%log1p: %M, 64]
            [%expm1: %M, 64] [%sinh: %M, 64] [%cosh: %M, 64] {
  tile.forall (%m, %n) over %a tiles [16, 32] : memref<?x64xf32> {
    %x = tile.load %a[%m, %n] tile [16, 32] : memref<?x64xf32> -> tensor<16x32xf32>
    %y = tile.load %b[%m, %n] tile [16, 32] : memref<?x64xf32> -> tensor<16x32xf32>
    %far = tile.splat 16384.0 [16, 32] : tensor<16x32xf32>
    %turns = arith.mulf %x, %far : tensor<16x32xf32>
    %0 = math.sin %turns : tensor<16x32xf32>
    tile.store %0, %sin[%m, %n] : tensor<16x32xf32>, memref<?x64xf32>
    %1 = math.cos %x : tensor<16x32xf32>
    tile.store %1, %cos[%m, %n] : tensor<16x32xf32>, memref<?x64xf32>
    %size = math.absf %x : tensor<16x32xf32>
    %2 = math.powf %size, %y : tensor<16x32xf32>
    tile.store %2, %pow[%m, %n] : tensor<16x32xf32>, memref<?x64xf32>
    %two = tile.splat 2.0 [16, 32] : tensor<16x32xf32>
    %3 = math.powf %x, %two : tensor<16x32xf32>
    tile.store %3, %squares[%m, %n] : tensor<16x32xf32>, memref<?x64xf32>
    %4 = math.cbrt %x : tensor<16x32xf32>
    tile.store %4, %cbrt[%m, %n] : tensor<16x32xf32>, memref<?x64xf32>
    %5 = math.log10 %size : tensor<16x32xf32>
    tile.store %5, %log10[%m, %n] : tensor<16x32xf32>, memref<?x64xf32>
    %6 = math.log1p %size : tensor<16x32xf32>
    tile.store %6, %log1p[%m, %n] : tensor<16x32xf32>, memref<?x64xf32>
    %7 = math.expm1 %x : tensor<16x32xf32>
    tile.store %7, %expm1[%m, %n] : tensor<16x32xf32>, memref<?x64xf32>
    %8 = math.sinh %x : tensor<16x32xf32>
    tile.store %8, %sinh[%m, %n] : tensor<16x32xf32>, memref<?x64xf32>
    %9 = math.cosh %x : tensor<16x32xf32>
    tile.store %9, %cosh[%m, %n] : tensor<16x32xf32>, memref<?x64xf32>
  }
}
