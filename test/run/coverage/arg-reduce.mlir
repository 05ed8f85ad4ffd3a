// RUN: tilec run %s --world 1 --launches 2
// RUN: tilec run %s --world 1 --target gfx950 --extent M=33
// RUN: tilec run %s --world 1 --target sm_90a --extent M=70 --race
// RUN: sed "s/f32/bf16/g" %s > %t.bf16.mlir && tilec run %t.bf16.mlir --world 1
// RUN: sed "s/f32/f64/g" %s > %t.f64.mlir && tilec run %t.f64.mlir --world 1
// RUN: sed "s/f32/f8E4M3FN/g" %s > %t.f8.mlir && tilec run %t.f8.mlir --world 1
// RUN: tilec %s --world 1 --param BN=64 --until=expand | FileCheck %s

// CHECK-NOT: tile.arg_reduce
// CHECK: tile.reduce maximum
// CHECK: tile.reduce minimum

// Where the greatest and the least elements are. Rounded numbers have many equals: the first counts, as does the first NaN. Rows lie in lanes,
// columns of a tall tile across waves; a row that is longer than a tile keeps value and place from one tile to the next.
tile.program @arg_reduce<%M>(%a: memref<?x128xf32>, %v: memref<?xf32>, %p: memref<?xi32>, %q: memref<128xi32>, %nan: memref<?xi32>, %all: memref<1xi32>, %i: memref<?x64xi32>, %j: memref<?xi32>)
    extents [%a: %M, 128] [%v: %M] [%p: %M] [%q: 128] [%nan: %M] [%all: 1] [%i: %M, 64] [%j: %M] {
  tile.param @BN in [32, 64]
  %steps = tile.extent [128 ceildiv @BN]
  %bn = tile.extent [@BN]
  tile.forall (%m) over %v tiles [32] : memref<?xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x0 = tile.load %a[%m, %c0] tile [32, @BN] : memref<?x128xf32> -> tensor<32x?xf32>
    %best0, %place0 = tile.arg_reduce maximum %x0 dim 1 : tensor<32x?xf32> -> tensor<32xf32>, tensor<32xi32>
    %best, %place = scf.for %n = %c1 to %steps step %c1 iter_args(%b = %best0, %w = %place0) -> (tensor<32xf32>, tensor<32xi32>) {
      %x = tile.load %a[%m, %n] tile [32, @BN] : memref<?x128xf32> -> tensor<32x?xf32>
      %here, %at = tile.arg_reduce maximum %x dim 1 : tensor<32x?xf32> -> tensor<32xf32>, tensor<32xi32>
      %first = arith.muli %n, %bn : index
      %first32 = arith.index_cast %first : index to i32
      %firsts = tile.splat %first32 [32] : tensor<32xi32>
      %number = arith.addi %at, %firsts : tensor<32xi32>
      %both_b = tile.broadcast %b dims [0] tile [32, 2] : tensor<32xf32> -> tensor<32x2xf32>
      %both_h = tile.broadcast %here dims [0] tile [32, 2] : tensor<32xf32> -> tensor<32x2xf32>
      %side = tile.iota dim 1 tile [32, 2] : tensor<32x2xi32>
      %zero = tile.splat 0 [32, 2] : tensor<32x2xi32>
      %left = arith.cmpi eq, %side, %zero : tensor<32x2xi32>
      %both = arith.select %left, %both_b, %both_h : tensor<32x2xi1>, tensor<32x2xf32>
      %next, %which = tile.arg_reduce maximum %both dim 1 : tensor<32x2xf32> -> tensor<32xf32>, tensor<32xi32>
      %none = tile.splat 0 [32] : tensor<32xi32>
      %kept = arith.cmpi eq, %which, %none : tensor<32xi32>
      %chosen = arith.select %kept, %w, %number : tensor<32xi1>, tensor<32xi32>
      scf.yield %next, %chosen : tensor<32xf32>, tensor<32xi32>
    }
    tile.store %best, %v[%m] : tensor<32xf32>, memref<?xf32>
    tile.store %place, %p[%m] : tensor<32xi32>, memref<?xi32>
  }
  tile.forall (%n) in [2] {
    %c0 = arith.constant 0 : index
    %x = tile.load %a[%c0, %n] tile [64, 64] : memref<?x128xf32> -> tensor<64x64xf32>
    %whole = math.roundeven %x : tensor<64x64xf32>
    %least, %place = tile.arg_reduce minimum %whole dim 0 : tensor<64x64xf32> -> tensor<64xf32>, tensor<64xi32>
    tile.store %place, %q[%n] : tensor<64xi32>, memref<128xi32>
  }
  tile.forall (%m) over %nan tiles [32] : memref<?xi32> {
    %c0 = arith.constant 0 : index
    %x = tile.load %a[%m, %c0] tile [32, 64] : memref<?x128xf32> -> tensor<32x64xf32>
    %zero = tile.splat 0.0 [32, 64] : tensor<32x64xf32>
    %not = arith.divf %zero, %zero : tensor<32x64xf32>
    %column = tile.iota dim 1 tile [32, 64] : tensor<32x64xi32>
    %seventh = tile.splat 37 [32, 64] : tensor<32x64xi32>
    %behind = arith.cmpi sge, %column, %seventh : tensor<32x64xi32>
    %holed = arith.select %behind, %not, %x : tensor<32x64xi1>, tensor<32x64xf32>
    %value, %place = tile.arg_reduce maximum %holed dim 1 : tensor<32x64xf32> -> tensor<32xf32>, tensor<32xi32>
    tile.store %place, %nan[%m] : tensor<32xi32>, memref<?xi32>
  }
  tile.forall (%m) over %j tiles [32] : memref<?xi32> {
    %c0 = arith.constant 0 : index
    %x = tile.load %i[%m, %c0] tile [32, 64] : memref<?x64xi32> -> tensor<32x64xi32>
    %three = tile.splat 3 [32, 64] : tensor<32x64xi32>
    %few = arith.andi %x, %three : tensor<32x64xi32>
    %value, %place = tile.arg_reduce maximum %few dim 1 : tensor<32x64xi32> -> tensor<32xi32>, tensor<32xi32>
    tile.store %place, %j[%m] : tensor<32xi32>, memref<?xi32>
  }
  tile.forall () in [] {
    %c0 = arith.constant 0 : index
    %x = tile.load %a[%c0, %c0] tile [64] : memref<?x128xf32> -> tensor<64xf32>
    %value, %place = tile.arg_reduce minimum %x dim 0 : tensor<64xf32> -> tensor<f32>, tensor<i32>
    %one = tile.reshape %place tile [1] : tensor<i32> -> tensor<1xi32>
    tile.store %one, %all[%c0] : tensor<1xi32>, memref<1xi32>
  }
}
