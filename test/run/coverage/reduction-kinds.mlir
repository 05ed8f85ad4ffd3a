// RUN: tilec run %s --world 1 --launches 2
// RUN: tilec run %s --world 1 --target gfx950 --extent M=33
// RUN: tilec run %s --world 1 --target sm_90a --extent M=70 --race
// RUN: sed "s/i32/i8/g" %s > %t.i8.mlir && tilec run %t.i8.mlir --world 1
// RUN: sed "s/i32/i64/g" %s > %t.i64.mlir && tilec run %t.i64.mlir --world 1 && tilec run %t.i64.mlir --world 1 --target sm_90a
// RUN: sed "s/f32/bf16/g" %s > %t.bf16.mlir && tilec run %t.bf16.mlir --world 1
// RUN: sed "s/f32/f64/g" %s > %t.f64.mlir && tilec run %t.f64.mlir --world 1
// RUN: tilec %s --world 1 --emit=hip | FileCheck %s

// CHECK: tilec::reduce<1, tilec::multiply,
// CHECK: tilec::reduce<1, tilec::bits_and,
// CHECK: tilec::reduce<1, tilec::bits_or,
// CHECK: tilec::reduce<1, tilec::bits_xor,
// CHECK: tilec::reduce<0, tilec::multiply,

// Products and bits: along lanes, along waves (dimension 0 of a tall tile), and of what comparisons say.
tile.program @reduction_kinds<%M>(%a: memref<?x64xf32>, %i: memref<?x64xi32>, %p: memref<?xf32>, %q: memref<?x4xi32>, %t: memref<64xf32>, %u: memref<64xi32>, %all: memref<?xi32>)
    extents [%a: %M, 64] [%i: %M, 64] [%p: %M] [%q: %M, 4] [%t: 64] [%u: 64] [%all: %M] {
  tile.forall (%m) over %p tiles [32] : memref<?xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %x = tile.load %a[%m, %c0] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    %two = tile.splat 1.5 [32, 64] : tensor<32x64xf32>
    %shifted = arith.addf %x, %two : tensor<32x64xf32>
    %product = tile.reduce product %shifted dim 1 : tensor<32x64xf32> -> tensor<32xf32>
    tile.store %product, %p[%m] : tensor<32xf32>, memref<?xf32>
    %n = tile.load %i[%m, %c0] tile [32, 64] : memref<?x64xi32> -> tensor<32x64xi32>
    %and = tile.reduce and %n dim 1 : tensor<32x64xi32> -> tensor<32xi32>
    %or = tile.reduce or %n dim 1 : tensor<32x64xi32> -> tensor<32xi32>
    %xor = tile.reduce xor %n dim 1 : tensor<32x64xi32> -> tensor<32xi32>
    %one = tile.splat 1 [32, 64] : tensor<32x64xi32>
    %uneven = arith.ori %n, %one : tensor<32x64xi32>
    %whole = tile.reduce product %uneven dim 1 : tensor<32x64xi32> -> tensor<32xi32>
    %and1 = tile.reshape %and tile [32, 1] : tensor<32xi32> -> tensor<32x1xi32>
    %or1 = tile.reshape %or tile [32, 1] : tensor<32xi32> -> tensor<32x1xi32>
    %xor1 = tile.reshape %xor tile [32, 1] : tensor<32xi32> -> tensor<32x1xi32>
    %whole1 = tile.reshape %whole tile [32, 1] : tensor<32xi32> -> tensor<32x1xi32>
    tile.store %and1, %q[%m, %c0] : tensor<32x1xi32>, memref<?x4xi32>
    tile.store %or1, %q[%m, %c1] : tensor<32x1xi32>, memref<?x4xi32>
    tile.store %xor1, %q[%m, %c2] : tensor<32x1xi32>, memref<?x4xi32>
    tile.store %whole1, %q[%m, %c3] : tensor<32x1xi32>, memref<?x4xi32>
  }
  tile.forall (%n) in [2] {
    %c0 = arith.constant 0 : index
    %x = tile.load %a[%c0, %n] tile [64, 32] : memref<?x64xf32> -> tensor<64x32xf32>
    %two = tile.splat 1.5 [64, 32] : tensor<64x32xf32>
    %shifted = arith.addf %x, %two : tensor<64x32xf32>
    %product = tile.reduce product %shifted dim 0 : tensor<64x32xf32> -> tensor<32xf32>
    tile.store %product, %t[%n] : tensor<32xf32>, memref<64xf32>
    %i0 = tile.load %i[%c0, %n] tile [64, 32] : memref<?x64xi32> -> tensor<64x32xi32>
    %xor = tile.reduce xor %i0 dim 0 : tensor<64x32xi32> -> tensor<32xi32>
    tile.store %xor, %u[%n] : tensor<32xi32>, memref<64xi32>
  }
  tile.forall (%m) over %all tiles [32] : memref<?xi32> {
    %c0 = arith.constant 0 : index
    %x = tile.load %a[%m, %c0] tile [32, 4] : memref<?x64xf32> -> tensor<32x4xf32>
    %zero = tile.splat 0.0 [32, 4] : tensor<32x4xf32>
    %above = arith.cmpf ogt, %x, %zero : tensor<32x4xf32>
    %every = tile.reduce and %above dim 1 : tensor<32x4xi1> -> tensor<32xi1>
    %any = tile.reduce or %above dim 1 : tensor<32x4xi1> -> tensor<32xi1>
    %one = tile.splat 1 [32] : tensor<32xi32>
    %none = tile.splat 0 [32] : tensor<32xi32>
    %some = arith.select %any, %one, %none : tensor<32xi1>, tensor<32xi32>
    %two = tile.splat 2 [32] : tensor<32xi32>
    %what = arith.select %every, %two, %some : tensor<32xi1>, tensor<32xi32>
    tile.store %what, %all[%m] : tensor<32xi32>, memref<?xi32>
  }
}
