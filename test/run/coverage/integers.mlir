// RUN: tilec run %s --world 1
// RUN: sed "s/i32/i8/g" %s > %t.i8.mlir && tilec run %t.i8.mlir --world 1
// RUN: sed "s/i32/i64/g" %s > %t.i64.mlir && tilec run %t.i64.mlir --world 1 && tilec run %t.i64.mlir --world 1 --target sm_90a

// Arithmetic of integers, signed and unsigned; what is narrower than an int of C++ wraps all the same.
tile.program @integer_arithmetic<%M>(%a: memref<?x64xi32>, %b: memref<?x64xi32>, %c: memref<?x64xi32>) extents [%a: %M, 64] [%b: %M, 64] [%c: %M, 64] {
  tile.forall (%m, %n) over %c tiles [16, 32] : memref<?x64xi32> {
    %x = tile.load %a[%m, %n] tile [16, 32] : memref<?x64xi32> -> tensor<16x32xi32>
    %y = tile.load %b[%m, %n] tile [16, 32] : memref<?x64xi32> -> tensor<16x32xi32>
    %three = tile.splat 3 [16, 32] : tensor<16x32xi32>
    %0 = arith.addi %x, %y : tensor<16x32xi32>
    %1 = arith.subi %0, %three : tensor<16x32xi32>
    %2 = arith.muli %1, %y : tensor<16x32xi32>
    %3 = arith.divsi %2, %three : tensor<16x32xi32>
    %4 = arith.remsi %2, %three : tensor<16x32xi32>
    %5 = arith.andi %3, %y : tensor<16x32xi32>
    %6 = arith.ori %5, %4 : tensor<16x32xi32>
    %7 = arith.xori %6, %x : tensor<16x32xi32>
    %8 = arith.shli %7, %three : tensor<16x32xi32>
    %9 = arith.shrsi %8, %three : tensor<16x32xi32>
    %10 = arith.maxsi %9, %x : tensor<16x32xi32>
    %11 = arith.minsi %10, %y : tensor<16x32xi32>
    %12 = math.absi %11 : tensor<16x32xi32>
    %13 = arith.divui %12, %three : tensor<16x32xi32>
    %14 = arith.remui %12, %three : tensor<16x32xi32>
    %15 = arith.shrui %9, %three : tensor<16x32xi32>
    %16 = arith.maxui %15, %14 : tensor<16x32xi32>
    %17 = arith.minui %16, %13 : tensor<16x32xi32>
    %18 = arith.floordivsi %2, %three : tensor<16x32xi32>
    %19 = arith.ceildivsi %2, %three : tensor<16x32xi32>
    %20 = arith.addi %17, %18 : tensor<16x32xi32>
    %21 = arith.addi %20, %19 : tensor<16x32xi32>
    %lt = arith.cmpi slt, %x, %y : tensor<16x32xi32>
    %ult = arith.cmpi ult, %x, %y : tensor<16x32xi32>
    %and = arith.andi %lt, %ult : tensor<16x32xi1>
    %22 = arith.select %and, %21, %11 : tensor<16x32xi1>, tensor<16x32xi32>
    tile.store %22, %c[%m, %n] : tensor<16x32xi32>, memref<?x64xi32>
  }
}
