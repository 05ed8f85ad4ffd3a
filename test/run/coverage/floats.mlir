// RUN: tilec run %s --world 1
// RUN: sed 's/f32/bf16/g' %s > %t.bf16.mlir && tilec run %t.bf16.mlir --world 1
// RUN: sed 's/f32/f16/g' %s > %t.f16.mlir && tilec run %t.f16.mlir --world 1
// RUN: sed 's/f32/f64/g;s/math.\(exp2\|exp\|erf\|log2\|log\|tanh\|rsqrt\) /math.absf /' %s > %t.f64.mlir && tilec run %t.f64.mlir --world 1

// Arithmetic and functions of floats, every comparison, rounding.
tile.program @float_arithmetic<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>, %c: memref<?x64xf32>, %d: memref<?x64xf32>, %e: memref<?x64xf32>) extents [%a: %M, 64] [%b: %M, 64] [%c: %M, 64] [%d: %M, 64] [%e: %M, 64] {
  tile.forall (%m, %n) over %c tiles [16, 32] : memref<?x64xf32> {
    %x = tile.load %a[%m, %n] tile [16, 32] : memref<?x64xf32> -> tensor<16x32xf32>
    %y = tile.load %b[%m, %n] tile [16, 32] : memref<?x64xf32> -> tensor<16x32xf32>
    %one = tile.splat 1.5 [16, 32] : tensor<16x32xf32>
    %0 = arith.addf %x, %y : tensor<16x32xf32>
    %1 = arith.subf %0, %one : tensor<16x32xf32>
    %2 = arith.mulf %1, %y : tensor<16x32xf32>
    %sq = arith.mulf %y, %y : tensor<16x32xf32>
    %pos = arith.addf %sq, %one : tensor<16x32xf32>
    %3 = arith.divf %2, %pos : tensor<16x32xf32>
    %4 = arith.negf %3 : tensor<16x32xf32>
    %5 = arith.maximumf %4, %x : tensor<16x32xf32>
    %6 = arith.minimumf %5, %one : tensor<16x32xf32>
    %7 = arith.maxnumf %6, %x : tensor<16x32xf32>
    %8 = arith.minnumf %7, %one : tensor<16x32xf32>
    %9 = math.exp %8 : tensor<16x32xf32>
    %10 = math.exp2 %8 : tensor<16x32xf32>
    %11 = math.log %pos : tensor<16x32xf32>
    %12 = math.log2 %pos : tensor<16x32xf32>
    %13 = math.sqrt %pos : tensor<16x32xf32>
    %14 = math.rsqrt %pos : tensor<16x32xf32>
    %15 = math.tanh %x : tensor<16x32xf32>
    %16 = math.erf %y : tensor<16x32xf32>
    %17 = math.absf %x : tensor<16x32xf32>
    %18 = math.fma %9, %10, %11 : tensor<16x32xf32>
    %19 = arith.addf %12, %13 : tensor<16x32xf32>
    %20 = arith.addf %14, %15 : tensor<16x32xf32>
    %21 = arith.addf %16, %17 : tensor<16x32xf32>
    %22 = arith.addf %18, %19 : tensor<16x32xf32>
    %23 = arith.addf %20, %21 : tensor<16x32xf32>
    %24 = arith.addf %22, %23 : tensor<16x32xf32>
    %lt = arith.cmpf olt, %x, %y : tensor<16x32xf32>
    %uge = arith.cmpf uge, %x, %one : tensor<16x32xf32>
    %or = arith.ori %lt, %uge : tensor<16x32xi1>
    %25 = arith.select %or, %24, %23 : tensor<16x32xi1>, tensor<16x32xf32>
    %f1 = math.ceil %x : tensor<16x32xf32>
    %f2 = math.round %y : tensor<16x32xf32>
    %f3 = math.roundeven %x : tensor<16x32xf32>
    %f4 = math.trunc %y : tensor<16x32xf32>
    %f5 = math.copysign %x, %y : tensor<16x32xf32>
    %g0 = arith.addf %f1, %f2 : tensor<16x32xf32>
    %g1 = arith.addf %f3, %f4 : tensor<16x32xf32>
    %g2 = arith.addf %g0, %g1 : tensor<16x32xf32>
    %g3 = arith.addf %g2, %f5 : tensor<16x32xf32>
    %one_ = arith.cmpf one, %x, %y : tensor<16x32xf32>
    %ueq = arith.cmpf ueq, %g3, %one : tensor<16x32xf32>
    %ord = arith.cmpf ord, %x, %y : tensor<16x32xf32>
    %uno = arith.cmpf uno, %x, %y : tensor<16x32xf32>
    %ult = arith.cmpf ult, %x, %one : tensor<16x32xf32>
    %une = arith.cmpf une, %y, %one : tensor<16x32xf32>
    %h0 = arith.andi %one_, %ord : tensor<16x32xi1>
    %h1 = arith.ori %ueq, %uno : tensor<16x32xi1>
    %h2 = arith.xori %ult, %une : tensor<16x32xi1>
    %s0 = arith.select %h0, %25, %g3 : tensor<16x32xi1>, tensor<16x32xf32>
    %s1 = arith.select %h1, %s0, %x : tensor<16x32xi1>, tensor<16x32xf32>
    %s2 = arith.select %h2, %s0, %s1 : tensor<16x32xi1>, tensor<16x32xf32>
    tile.store %25, %e[%m, %n] : tensor<16x32xf32>, memref<?x64xf32>
    tile.store %g3, %d[%m, %n] : tensor<16x32xf32>, memref<?x64xf32>
    tile.store %s2, %c[%m, %n] : tensor<16x32xf32>, memref<?x64xf32>
  }
}
