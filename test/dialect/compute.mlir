// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix | tilec-opt --mlir-use-nameloc-as-prefix --keep-names | FileCheck %s

// Computation on tiles.
tile.program @compute() {
  %x = arith.constant 1.0 : f32
  tile.forall (%m) in [4] {
    // CHECK: %zero = tile.splat 0.000000e+00 [16, 32] : tensor<16x32xf32>
    %zero = tile.splat 0.0 [16, 32] : tensor<16x32xf32>
    // CHECK: %scale = tile.splat %x [16] : tensor<16xf32>
    %scale = tile.splat %x [16] : tensor<16xf32>
    // CHECK: %minus = tile.splat -1 [16] : tensor<16xi32>
    %minus = tile.splat -1 [16] : tensor<16xi32>
    // CHECK: %running = tile.scan add %zero dim 1 : tensor<16x32xf32>
    %running = tile.scan add %zero dim 1 : tensor<16x32xf32>
    // CHECK: %least = tile.scan minimum %minus dim 0 exclusive : tensor<16xi32>
    %least = tile.scan minimum %minus dim 0 exclusive : tensor<16xi32>
    // CHECK: %cols = tile.iota dim 1 tile [16, 32] : tensor<16x32xi32>
    %cols = tile.iota dim 1 tile [16, 32] : tensor<16x32xi32>
    %acc = tile.splat 0.0 [16, 16] : tensor<16x16xf32>
    // CHECK: %product = tile.dot %zero, transpose %zero, %acc : tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x16xf32>
    %product = tile.dot %zero, transpose %zero, %acc : tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x16xf32>
    %square = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    // CHECK: tile.dot transpose %zero, %zero, %square : tensor<16x32xf32>, tensor<16x32xf32>, tensor<32x32xf32>
    %gradient = tile.dot transpose %zero, %zero, %square : tensor<16x32xf32>, tensor<16x32xf32>, tensor<32x32xf32>
    %small = tile.splat 0.0 [16, 32] : tensor<16x32xf8E4M3FN>
    // CHECK: tile.dot %small, transpose %small, %acc accumulate fast : tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<16x16xf32>
    %inexact = tile.dot %small, transpose %small, %acc accumulate fast : tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<16x16xf32>
    // CHECK: tile.dot %small, transpose %small, %acc accumulate promoted : tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<16x16xf32>
    %promoted = tile.dot %small, transpose %small, %acc accumulate promoted : tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<16x16xf32>
    // CHECK: %sums = tile.reduce{{ +}}add %zero dim 1 : tensor<16x32xf32> -> tensor<16xf32>
    %sums = tile.reduce add %zero dim 1 : tensor<16x32xf32> -> tensor<16xf32>
    // CHECK: %products = tile.reduce{{ +}}product %zero dim 1 : tensor<16x32xf32> -> tensor<16xf32>
    %products = tile.reduce product %zero dim 1 : tensor<16x32xf32> -> tensor<16xf32>
    // CHECK: %best, %best_0 = tile.arg_reduce{{ +}}maximum %zero dim 1 : tensor<16x32xf32> -> tensor<16xf32>, tensor<16xi32>
    %best, %place = tile.arg_reduce maximum %zero dim 1 : tensor<16x32xf32> -> tensor<16xf32>, tensor<16xi32>
    // CHECK: %largest = tile.reduce{{ +}}maximum %zero dim 0 : tensor<16x32xf32> -> tensor<32xf32>
    %largest = tile.reduce maximum %zero dim 0 : tensor<16x32xf32> -> tensor<32xf32>
    // CHECK: %wide = tile.broadcast %sums dims [0] tile [16, 32] : tensor<16xf32> -> tensor<16x32xf32>
    %wide = tile.broadcast %sums dims [0] tile [16, 32] : tensor<16xf32> -> tensor<16x32xf32>
    // CHECK: %turned = tile.transpose %wide [1, 0] : tensor<16x32xf32> -> tensor<32x16xf32>
    %turned = tile.transpose %wide [1, 0] : tensor<16x32xf32> -> tensor<32x16xf32>
    // CHECK: %halves = tile.reshape %turned tile [32, 2, 8] : tensor<32x16xf32> -> tensor<32x2x8xf32>
    %halves = tile.reshape %turned tile [32, 2, 8] : tensor<32x16xf32> -> tensor<32x2x8xf32>
  }
}
