// RUN: tilec run %s --world 1 --target gfx950 --extent M=33
// RUN: tilec run %s --world 1 --target sm_90a --extent M=70 --race --memory weak
// RUN: sed "s/i32/i64/g; s/f32/bf16/g" %s > %t.mlir && tilec run %t.mlir --world 1 --launches 2
// RUN: sed "s/i32/i8/g; s/f32/f64/g" %s > %t.wide.mlir && tilec run %t.wide.mlir --world 1 --target sm_90a --extent M=24
// RUN: tilec %s --world 1 --emit=hip | FileCheck %s

// CHECK: tilec::scan<1, tilec::add>(
// CHECK: tilec::scan<1, tilec::multiply, tilec::exclusive>(
// CHECK: tilec::scan<0, tilec::maximum>(
// CHECK: tilec::scan<0, tilec::bits_xor, tilec::exclusive>(
// CHECK: tilec::scan<0, tilec::minimum, tilec::exclusive>({{.*}}tilec::shared<

// Scans along rows, which registers and lanes hold; down columns, which waves share; of a tile whose side is no power of two;
// and of one dimension, in which waves follow lanes.
tile.program @scans<%M>(%a: memref<?x64xf32>, %i: memref<?x64xi32>, %sums: memref<?x64xf32>, %products: memref<?x64xf32>, %down: memref<?x64xf32>, %bits: memref<?x64xi32>, %uneven: memref<?x64xi32>, %line: memref<4096xi32>, %places: memref<4096xi32>)
    extents [%a: %M, 64] [%i: %M, 64] [%sums: %M, 64] [%products: %M, 64] [%down: %M, 64] [%bits: %M, 64] [%uneven: %M, 64] {
  tile.forall (%m) in [%M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %x = tile.load %a[%m, %c0] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    %s = tile.scan add %x dim 1 : tensor<32x64xf32>
    tile.store %s, %sums[%m, %c0] : tensor<32x64xf32>, memref<?x64xf32>
    %two = tile.splat 1.5 [32, 64] : tensor<32x64xf32>
    %shifted = arith.addf %x, %two : tensor<32x64xf32>
    %p = tile.scan product %shifted dim 1 exclusive : tensor<32x64xf32>
    tile.store %p, %products[%m, %c0] : tensor<32x64xf32>, memref<?x64xf32>
    %d = tile.scan maximum %x dim 0 : tensor<32x64xf32>
    tile.store %d, %down[%m, %c0] : tensor<32x64xf32>, memref<?x64xf32>
    %n = tile.load %i[%m, %c0] tile [32, 64] : memref<?x64xi32> -> tensor<32x64xi32>
    %b = tile.scan xor %n dim 0 exclusive : tensor<32x64xi32>
    tile.store %b, %bits[%m, %c0] : tensor<32x64xi32>, memref<?x64xi32>
  }
  tile.forall (%m) in [%M ceildiv 24] {
    %c0 = arith.constant 0 : index
    %n = tile.load %i[%m, %c0] tile [24, 64] : memref<?x64xi32> -> tensor<24x64xi32>
    %least = tile.scan minimum %n dim 0 exclusive : tensor<24x64xi32>
    %most = tile.scan add %least dim 0 : tensor<24x64xi32>
    tile.store %most, %uneven[%m, %c0] : tensor<24x64xi32>, memref<?x64xi32>
  }
  tile.forall () in [] {
    %c0 = arith.constant 0 : index
    %n = tile.load %line[%c0] tile [4096] : memref<4096xi32> -> tensor<4096xi32>
    %s = tile.scan add %n dim 0 exclusive : tensor<4096xi32>
    tile.store %s, %places[%c0] : tensor<4096xi32>, memref<4096xi32>
  }
}
