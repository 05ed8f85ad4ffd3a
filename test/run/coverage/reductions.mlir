// RUN: tilec run %s --world 1
// RUN: sed "s/f32/bf16/g" %s > %t.bf16.mlir && tilec run %t.bf16.mlir --world 1
// RUN: sed "s/f32/i32/g;s/addf/addi/g;s/subf/subi/g" %s > %t.i32.mlir && tilec run %t.i32.mlir --world 1
// RUN: sed "s/f32/i8/g;s/addf/addi/g;s/subf/subi/g" %s > %t.i8.mlir && tilec run %t.i8.mlir --world 1

// Reductions of every kind along both dimensions, of three dimensions, to a scalar; a broadcast of each.
tile.program @reductions<%M>(%a: memref<?x64xf32>, %r: memref<?xf32>, %k: memref<64xf32>, %v: memref<?x4xf32>, %z: memref<?x64xf32>) extents [%a: %M, 64] [%r: %M] [%k: 64] [%v: %M, 4] [%z: %M, 64] {
  tile.forall (%m) over %r tiles [32] : memref<?xf32> {
    %c0 = arith.constant 0 : index
    %x = tile.load %a[%m, %c0] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    %s = tile.reduce add %x dim 1 : tensor<32x64xf32> -> tensor<32xf32>
    %mx = tile.reduce maximum %x dim 1 : tensor<32x64xf32> -> tensor<32xf32>
    %mn = tile.reduce minimum %x dim 1 : tensor<32x64xf32> -> tensor<32xf32>
    %t = arith.addf %s, %mx : tensor<32xf32>
    %u = arith.addf %t, %mn : tensor<32xf32>
    tile.store %u, %r[%m] : tensor<32xf32>, memref<?xf32>
    %b = tile.broadcast %u dims [0] tile [32, 64] : tensor<32xf32> -> tensor<32x64xf32>
    %d = arith.subf %x, %b : tensor<32x64xf32>
    tile.store %d, %z[%m, %c0] : tensor<32x64xf32>, memref<?x64xf32>
    %three = tile.reshape %x tile [32, 4, 16] : tensor<32x64xf32> -> tensor<32x4x16xf32>
    %q = tile.reduce maximum %three dim 2 : tensor<32x4x16xf32> -> tensor<32x4xf32>
    tile.store %q, %v[%m, %c0] : tensor<32x4xf32>, memref<?x4xf32>
  }
  tile.forall (%n) over %k tiles [32] : memref<64xf32> {
    %c0 = arith.constant 0 : index
    %x = tile.load %a[%c0, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %s = tile.reduce add %x dim 0 : tensor<32x32xf32> -> tensor<32xf32>
    tile.store %s, %k[%n] : tensor<32xf32>, memref<64xf32>
  }
}
