// RUN: sh -c "ulimit -t 20; tilec verify %s --world 1 --target sm_90a"
// RUN: tilec run %s --world 1 --extent N=70,K=40
// Where a row goes is computed in thirty steps, each of which takes the one before twice. What makes the place again in the layout that the
// scatter of a product wants made each step as often as there are ways to it: a billion times.
tile.program @many_steps<%N, %K>(%x: memref<?x?xbf16>, %w: memref<64x?xbf16>, %y: memref<?x64xbf16>) extents [%x: %N, %K] [%w: 64, %K] [%y: %N, 64] {
  tile.forall (%n) in [%N ceildiv 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %side = arith.constant 64 : index
    %first = arith.muli %n, %side : index
    %first_i32 = arith.index_cast %first : index to i32
    %row = tile.splat %first_i32 [64] : tensor<64xi32>
    %number = tile.iota dim 0 tile [64] : tensor<64xi32>
    %t0 = arith.xori %number, %row : tensor<64xi32>
    %t1 = arith.addi %t0, %t0 : tensor<64xi32>
    %t2 = arith.addi %t1, %t1 : tensor<64xi32>
    %t3 = arith.addi %t2, %t2 : tensor<64xi32>
    %t4 = arith.addi %t3, %t3 : tensor<64xi32>
    %t5 = arith.addi %t4, %t4 : tensor<64xi32>
    %t6 = arith.addi %t5, %t5 : tensor<64xi32>
    %t7 = arith.addi %t6, %t6 : tensor<64xi32>
    %t8 = arith.addi %t7, %t7 : tensor<64xi32>
    %t9 = arith.addi %t8, %t8 : tensor<64xi32>
    %t10 = arith.addi %t9, %t9 : tensor<64xi32>
    %t11 = arith.addi %t10, %t10 : tensor<64xi32>
    %t12 = arith.addi %t11, %t11 : tensor<64xi32>
    %t13 = arith.addi %t12, %t12 : tensor<64xi32>
    %t14 = arith.addi %t13, %t13 : tensor<64xi32>
    %t15 = arith.addi %t14, %t14 : tensor<64xi32>
    %t16 = arith.addi %t15, %t15 : tensor<64xi32>
    %t17 = arith.addi %t16, %t16 : tensor<64xi32>
    %t18 = arith.addi %t17, %t17 : tensor<64xi32>
    %t19 = arith.addi %t18, %t18 : tensor<64xi32>
    %t20 = arith.addi %t19, %t19 : tensor<64xi32>
    %t21 = arith.addi %t20, %t20 : tensor<64xi32>
    %t22 = arith.addi %t21, %t21 : tensor<64xi32>
    %t23 = arith.addi %t22, %t22 : tensor<64xi32>
    %t24 = arith.addi %t23, %t23 : tensor<64xi32>
    %t25 = arith.addi %t24, %t24 : tensor<64xi32>
    %t26 = arith.addi %t25, %t25 : tensor<64xi32>
    %t27 = arith.addi %t26, %t26 : tensor<64xi32>
    %t28 = arith.addi %t27, %t27 : tensor<64xi32>
    %t29 = arith.addi %t28, %t28 : tensor<64xi32>
    %t30 = arith.addi %t29, %t29 : tensor<64xi32>
    %none = tile.splat 0 [64] : tensor<64xi32>
    %nothing = arith.andi %t30, %none : tensor<64xi32>
    %place = arith.addi %row, %number : tensor<64xi32>
    %to = arith.addi %place, %nothing : tensor<64xi32>
    %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
    %depth = tile.extent [%K ceildiv 32]
    %sum = scf.for %k = %c0 to %depth step %c1 iter_args(%s = %zero) -> tensor<64x64xf32> {
      %a = tile.load %x[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
      %b = tile.load %w[%c0, %k] tile [64, 32] : memref<64x?xbf16> -> tensor<64x32xbf16>
      %next = tile.dot %a, transpose %b, %s : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %out = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.scatter %out, %y[each %to, %c0] : tensor<64x64xbf16>, memref<?x64xbf16>, tensor<64xi32>
  }
}
