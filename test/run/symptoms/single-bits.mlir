// RUN: tilec run %s --no-verify --launches 1

// One bit wraps modulo 2, and the set one is -1 as a signed number.
!t = i1

tile.program @single_bits(%c: memref<37x256xi32>) world 1 extents [%c: 37, 256] {
  tile.forall (%m) in [4] {
    %half = arith.constant 0.5 : f32
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %high = arith.divsi %m, %two : index
    %low = arith.remsi %m, %two : index
    %x = arith.cmpi ne, %high, %zero : index
    %y = arith.cmpi ne, %low, %zero : index
    %1 = arith.addi %x, %y : !t
    %i0 = arith.index_cast %1 : !t to index
    %cast0 = arith.index_cast %i0 : index to i32
    %s0 = tile.splat %cast0 [64] : tensor<64xi32>
    %n0 = arith.constant 0 : index
    tile.store %s0, %c[%n0, %m] : tensor<64xi32>, memref<37x256xi32>
    %2 = arith.subi %x, %y : !t
    %i1 = arith.index_cast %2 : !t to index
    %cast1 = arith.index_cast %i1 : index to i32
    %s1 = tile.splat %cast1 [64] : tensor<64xi32>
    %n1 = arith.constant 1 : index
    tile.store %s1, %c[%n1, %m] : tensor<64xi32>, memref<37x256xi32>
    %3 = arith.muli %x, %y : !t
    %i2 = arith.index_cast %3 : !t to index
    %cast2 = arith.index_cast %i2 : index to i32
    %s2 = tile.splat %cast2 [64] : tensor<64xi32>
    %n2 = arith.constant 2 : index
    tile.store %s2, %c[%n2, %m] : tensor<64xi32>, memref<37x256xi32>
    %4 = arith.andi %x, %y : !t
    %i3 = arith.index_cast %4 : !t to index
    %cast3 = arith.index_cast %i3 : index to i32
    %s3 = tile.splat %cast3 [64] : tensor<64xi32>
    %n3 = arith.constant 3 : index
    tile.store %s3, %c[%n3, %m] : tensor<64xi32>, memref<37x256xi32>
    %5 = arith.ori %x, %y : !t
    %i4 = arith.index_cast %5 : !t to index
    %cast4 = arith.index_cast %i4 : index to i32
    %s4 = tile.splat %cast4 [64] : tensor<64xi32>
    %n4 = arith.constant 4 : index
    tile.store %s4, %c[%n4, %m] : tensor<64xi32>, memref<37x256xi32>
    %6 = arith.xori %x, %y : !t
    %i5 = arith.index_cast %6 : !t to index
    %cast5 = arith.index_cast %i5 : index to i32
    %s5 = tile.splat %cast5 [64] : tensor<64xi32>
    %n5 = arith.constant 5 : index
    tile.store %s5, %c[%n5, %m] : tensor<64xi32>, memref<37x256xi32>
    %7 = arith.maxsi %x, %y : !t
    %i6 = arith.index_cast %7 : !t to index
    %cast6 = arith.index_cast %i6 : index to i32
    %s6 = tile.splat %cast6 [64] : tensor<64xi32>
    %n6 = arith.constant 6 : index
    tile.store %s6, %c[%n6, %m] : tensor<64xi32>, memref<37x256xi32>
    %8 = arith.minsi %x, %y : !t
    %i7 = arith.index_cast %8 : !t to index
    %cast7 = arith.index_cast %i7 : index to i32
    %s7 = tile.splat %cast7 [64] : tensor<64xi32>
    %n7 = arith.constant 7 : index
    tile.store %s7, %c[%n7, %m] : tensor<64xi32>, memref<37x256xi32>
    %9 = arith.maxui %x, %y : !t
    %i8 = arith.index_cast %9 : !t to index
    %cast8 = arith.index_cast %i8 : index to i32
    %s8 = tile.splat %cast8 [64] : tensor<64xi32>
    %n8 = arith.constant 8 : index
    tile.store %s8, %c[%n8, %m] : tensor<64xi32>, memref<37x256xi32>
    %10 = arith.minui %x, %y : !t
    %i9 = arith.index_cast %10 : !t to index
    %cast9 = arith.index_cast %i9 : index to i32
    %s9 = tile.splat %cast9 [64] : tensor<64xi32>
    %n9 = arith.constant 9 : index
    tile.store %s9, %c[%n9, %m] : tensor<64xi32>, memref<37x256xi32>
    %11 = arith.cmpi eq, %x, %y : !t
    %i10 = arith.index_cast %11 : i1 to index
    %cast10 = arith.index_cast %i10 : index to i32
    %s10 = tile.splat %cast10 [64] : tensor<64xi32>
    %n10 = arith.constant 10 : index
    tile.store %s10, %c[%n10, %m] : tensor<64xi32>, memref<37x256xi32>
    %12 = arith.cmpi ne, %x, %y : !t
    %i11 = arith.index_cast %12 : i1 to index
    %cast11 = arith.index_cast %i11 : index to i32
    %s11 = tile.splat %cast11 [64] : tensor<64xi32>
    %n11 = arith.constant 11 : index
    tile.store %s11, %c[%n11, %m] : tensor<64xi32>, memref<37x256xi32>
    %13 = arith.cmpi slt, %x, %y : !t
    %i12 = arith.index_cast %13 : i1 to index
    %cast12 = arith.index_cast %i12 : index to i32
    %s12 = tile.splat %cast12 [64] : tensor<64xi32>
    %n12 = arith.constant 12 : index
    tile.store %s12, %c[%n12, %m] : tensor<64xi32>, memref<37x256xi32>
    %14 = arith.cmpi sle, %x, %y : !t
    %i13 = arith.index_cast %14 : i1 to index
    %cast13 = arith.index_cast %i13 : index to i32
    %s13 = tile.splat %cast13 [64] : tensor<64xi32>
    %n13 = arith.constant 13 : index
    tile.store %s13, %c[%n13, %m] : tensor<64xi32>, memref<37x256xi32>
    %15 = arith.cmpi sgt, %x, %y : !t
    %i14 = arith.index_cast %15 : i1 to index
    %cast14 = arith.index_cast %i14 : index to i32
    %s14 = tile.splat %cast14 [64] : tensor<64xi32>
    %n14 = arith.constant 14 : index
    tile.store %s14, %c[%n14, %m] : tensor<64xi32>, memref<37x256xi32>
    %16 = arith.cmpi sge, %x, %y : !t
    %i15 = arith.index_cast %16 : i1 to index
    %cast15 = arith.index_cast %i15 : index to i32
    %s15 = tile.splat %cast15 [64] : tensor<64xi32>
    %n15 = arith.constant 15 : index
    tile.store %s15, %c[%n15, %m] : tensor<64xi32>, memref<37x256xi32>
    %17 = arith.cmpi ult, %x, %y : !t
    %i16 = arith.index_cast %17 : i1 to index
    %cast16 = arith.index_cast %i16 : index to i32
    %s16 = tile.splat %cast16 [64] : tensor<64xi32>
    %n16 = arith.constant 16 : index
    tile.store %s16, %c[%n16, %m] : tensor<64xi32>, memref<37x256xi32>
    %18 = arith.cmpi ule, %x, %y : !t
    %i17 = arith.index_cast %18 : i1 to index
    %cast17 = arith.index_cast %i17 : index to i32
    %s17 = tile.splat %cast17 [64] : tensor<64xi32>
    %n17 = arith.constant 17 : index
    tile.store %s17, %c[%n17, %m] : tensor<64xi32>, memref<37x256xi32>
    %19 = arith.cmpi ugt, %x, %y : !t
    %i18 = arith.index_cast %19 : i1 to index
    %cast18 = arith.index_cast %i18 : index to i32
    %s18 = tile.splat %cast18 [64] : tensor<64xi32>
    %n18 = arith.constant 18 : index
    tile.store %s18, %c[%n18, %m] : tensor<64xi32>, memref<37x256xi32>
    %20 = arith.cmpi uge, %x, %y : !t
    %i19 = arith.index_cast %20 : i1 to index
    %cast19 = arith.index_cast %i19 : index to i32
    %s19 = tile.splat %cast19 [64] : tensor<64xi32>
    %n19 = arith.constant 19 : index
    tile.store %s19, %c[%n19, %m] : tensor<64xi32>, memref<37x256xi32>
    %21 = arith.addi %x, %y : !t
    %22 = arith.muli %21, %x : !t
    %23 = arith.muli %y, %y : !t
    %24 = arith.addi %22, %23 : !t
    %i20 = arith.index_cast %24 : !t to index
    %cast20 = arith.index_cast %i20 : index to i32
    %s20 = tile.splat %cast20 [64] : tensor<64xi32>
    %n20 = arith.constant 20 : index
    tile.store %s20, %c[%n20, %m] : tensor<64xi32>, memref<37x256xi32>
    %25 = arith.muli %x, %x : !t
    %26 = arith.subi %y, %25 : !t
    %27 = arith.subi %x, %26 : !t
    %i21 = arith.index_cast %27 : !t to index
    %cast21 = arith.index_cast %i21 : index to i32
    %s21 = tile.splat %cast21 [64] : tensor<64xi32>
    %n21 = arith.constant 21 : index
    tile.store %s21, %c[%n21, %m] : tensor<64xi32>, memref<37x256xi32>
    %28 = arith.andi %x, %y : !t
    %29 = arith.ori %x, %y : !t
    %30 = arith.maxsi %28, %29 : !t
    %i22 = arith.index_cast %30 : !t to index
    %cast22 = arith.index_cast %i22 : index to i32
    %s22 = tile.splat %cast22 [64] : tensor<64xi32>
    %n22 = arith.constant 22 : index
    tile.store %s22, %c[%n22, %m] : tensor<64xi32>, memref<37x256xi32>
    %31 = arith.xori %x, %y : !t
    %32 = arith.addi %x, %y : !t
    %33 = arith.minsi %31, %32 : !t
    %i23 = arith.index_cast %33 : !t to index
    %cast23 = arith.index_cast %i23 : index to i32
    %s23 = tile.splat %cast23 [64] : tensor<64xi32>
    %n23 = arith.constant 23 : index
    tile.store %s23, %c[%n23, %m] : tensor<64xi32>, memref<37x256xi32>
    %34 = arith.addi %x, %y : !t
    %35 = arith.cmpi slt, %34, %y : !t
    %i24 = arith.index_cast %35 : i1 to index
    %cast24 = arith.index_cast %i24 : index to i32
    %s24 = tile.splat %cast24 [64] : tensor<64xi32>
    %n24 = arith.constant 24 : index
    tile.store %s24, %c[%n24, %m] : tensor<64xi32>, memref<37x256xi32>
    %36 = arith.muli %x, %y : !t
    %37 = arith.addi %y, %y : !t
    %38 = arith.cmpi ult, %36, %37 : !t
    %i25 = arith.index_cast %38 : i1 to index
    %cast25 = arith.index_cast %i25 : index to i32
    %s25 = tile.splat %cast25 [64] : tensor<64xi32>
    %n25 = arith.constant 25 : index
    tile.store %s25, %c[%n25, %m] : tensor<64xi32>, memref<37x256xi32>
    %39 = math.absi %x : !t
    %i26 = arith.index_cast %39 : !t to index
    %cast26 = arith.index_cast %i26 : index to i32
    %s26 = tile.splat %cast26 [64] : tensor<64xi32>
    %n26 = arith.constant 26 : index
    tile.store %s26, %c[%n26, %m] : tensor<64xi32>, memref<37x256xi32>
    %fptosi = arith.fptosi %half : f32 to i1
    %i27 = arith.index_cast %fptosi : !t to index
    %cast27 = arith.index_cast %i27 : index to i32
    %s27 = tile.splat %cast27 [64] : tensor<64xi32>
    %n27 = arith.constant 27 : index
    tile.store %s27, %c[%n27, %m] : tensor<64xi32>, memref<37x256xi32>
    %fptoui = arith.fptoui %half : f32 to i1
    %i28 = arith.index_cast %fptoui : !t to index
    %cast28 = arith.index_cast %i28 : index to i32
    %s28 = tile.splat %cast28 [64] : tensor<64xi32>
    %n28 = arith.constant 28 : index
    tile.store %s28, %c[%n28, %m] : tensor<64xi32>, memref<37x256xi32>
    %sitofp = arith.sitofp %x : i1 to f32
    %sitofp_32 = arith.fptosi %sitofp : f32 to i32
    %s29 = tile.splat %sitofp_32 [64] : tensor<64xi32>
    %n29 = arith.constant 29 : index
    tile.store %s29, %c[%n29, %m] : tensor<64xi32>, memref<37x256xi32>
    %uitofp = arith.uitofp %x : i1 to f32
    %uitofp_32 = arith.fptosi %uitofp : f32 to i32
    %s30 = tile.splat %uitofp_32 [64] : tensor<64xi32>
    %n30 = arith.constant 30 : index
    tile.store %s30, %c[%n30, %m] : tensor<64xi32>, memref<37x256xi32>
    %e0 = arith.index_castui %x : i1 to index
    %e32_0 = arith.index_cast %e0 : index to i32
    %s31 = tile.splat %e32_0 [64] : tensor<64xi32>
    %n31 = arith.constant 31 : index
    tile.store %s31, %c[%n31, %m] : tensor<64xi32>, memref<37x256xi32>
    %e1 = arith.extsi %x : i1 to i8
    %ei1 = arith.index_cast %e1 : i8 to index
    %e32_1 = arith.index_cast %ei1 : index to i32
    %s32 = tile.splat %e32_1 [64] : tensor<64xi32>
    %n32 = arith.constant 32 : index
    tile.store %s32, %c[%n32, %m] : tensor<64xi32>, memref<37x256xi32>
    %e2 = arith.extui %x : i1 to i8
    %ei2 = arith.index_cast %e2 : i8 to index
    %e32_2 = arith.index_cast %ei2 : index to i32
    %s33 = tile.splat %e32_2 [64] : tensor<64xi32>
    %n33 = arith.constant 33 : index
    tile.store %s33, %c[%n33, %m] : tensor<64xi32>, memref<37x256xi32>
    %e3 = arith.extsi %x : i1 to i64
    %ei3 = arith.index_cast %e3 : i64 to index
    %e32_3 = arith.index_cast %ei3 : index to i32
    %s34 = tile.splat %e32_3 [64] : tensor<64xi32>
    %n34 = arith.constant 34 : index
    tile.store %s34, %c[%n34, %m] : tensor<64xi32>, memref<37x256xi32>
    %cut = arith.index_cast %m : index to i1
    %i35 = arith.index_cast %cut : !t to index
    %cast35 = arith.index_cast %i35 : index to i32
    %s35 = tile.splat %cast35 [64] : tensor<64xi32>
    %n35 = arith.constant 35 : index
    tile.store %s35, %c[%n35, %m] : tensor<64xi32>, memref<37x256xi32>
    %m8 = arith.index_cast %m : index to i8
    %cut8 = arith.trunci %m8 : i8 to i1
    %40 = arith.cmpi eq, %y, %cut8 : i1
    %i36 = arith.index_cast %40 : !t to index
    %cast36 = arith.index_cast %i36 : index to i32
    %s36 = tile.splat %cast36 [64] : tensor<64xi32>
    %n36 = arith.constant 36 : index
    tile.store %s36, %c[%n36, %m] : tensor<64xi32>, memref<37x256xi32>
  }
}
