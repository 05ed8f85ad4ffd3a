// RUN: tilec %s --until=verify | FileCheck %s

// Five extents that a launch multiplies with each other: a million accesses in the usual samples, which took seconds. Each extent is long in
// one sample, for its greatest tile, while the others are small: 13, 8, 2 and 1 where a loop goes by single elements, 100, 64, 20 and 1 where
// it goes by 32.
// CHECK: verified = #tile.verified<{{.*}}samples = {{\[\[}}13, 2, 64, 1, 200], [2, 13, 1, 100, 40], [8, 1, 100, 20, 128],
// CHECK-SAME: [1, 13, 20, 100, 1],
tile.program @convolution<%N, %H, %Wd, %C, %K>(%x: memref<?x?x?x?xbf16>, %f: memref<3x?x?xbf16>, %y: memref<?x?x?x?xf32>)
    world 4 extents [%x: %N, %H, %Wd, %C] [%f: 3, %K, %C] [%y: %N, %H, %Wd, %K] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %blocks = tile.extent [%C ceildiv 32]
  tile.forall (%n, %h, %w, %k) in [%N, %H, %Wd ceildiv 32, %K ceildiv 64] {
    %c32 = arith.constant 32 : index
    %none = tile.splat 0.0 [32, 64] : tensor<32x64xf32>
    %w0 = arith.muli %w, %c32 : index
    %acc = scf.for %r = %zero to %three step %one iter_args(%so_far = %none) -> (tensor<32x64xf32>) {
      %sum = scf.for %c = %zero to %blocks step %one iter_args(%part = %so_far) -> (tensor<32x64xf32>) {
        %below = arith.addi %h, %r : index
        %row = arith.subi %below, %one : index
        %c0 = arith.muli %c, %c32 : index
        %xt = tile.load %x at (%n, %row, %w0, %c0) tile [32, 32] : memref<?x?x?x?xbf16> -> tensor<32x32xbf16>
        %ft = tile.load %f[%r, %k, %c] tile [64, 32] : memref<3x?x?xbf16> -> tensor<64x32xbf16>
        %next = tile.dot %xt, transpose %ft, %part : tensor<32x32xbf16>, tensor<64x32xbf16>, tensor<32x64xf32>
        scf.yield %next : tensor<32x64xf32>
      }
      scf.yield %sum : tensor<32x64xf32>
    }
    tile.store %acc, %y[%n, %h, %w, %k] : tensor<32x64xf32>, memref<?x?x?x?xf32>
  }
}
