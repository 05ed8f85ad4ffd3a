// RUN: tilec run %s --launches 1
// RUN: sed "s/i8/i32/" %s > %t.32.mlir && tilec run %t.32.mlir --launches 1

// Elements wrap at their width, also where C++ says nothing of signed numbers that overflow.
!t = i8
!x = tensor<64xi8>

tile.program @elements_of_every_width(%in: memref<2x256x!t>, %c: memref<37x256x!t>) world 1 extents [%in: 2, 256] [%c: 37, 256] {
  tile.forall (%m) in [4] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %a = tile.load %in[%zero, %m] tile [64] : memref<2x256x!t> -> !x
    %b = tile.load %in[%one, %m] tile [64] : memref<2x256x!t> -> !x
    %wide = tile.splat 103 [64] : !x
    %two = tile.splat 2 [64] : !x
    %mask = tile.splat -61 [64] : !x
    %w2 = arith.muli %wide, %wide : !x
    %w4 = arith.muli %w2, %w2 : !x
    %w8 = arith.muli %w4, %w4 : !x
    %x = arith.muli %a, %w8 : !x
    %y = arith.muli %b, %w8 : !x
    %some = arith.andi %y, %mask : !x
    %odd = arith.ori %some, %two : !x
    %1 = arith.addi %x, %y : !x
    %n0 = arith.constant 0 : index
    tile.store %1, %c[%n0, %m] : !x, memref<37x256x!t>
    %2 = arith.subi %x, %y : !x
    %n1 = arith.constant 1 : index
    tile.store %2, %c[%n1, %m] : !x, memref<37x256x!t>
    %3 = arith.muli %x, %y : !x
    %n2 = arith.constant 2 : index
    tile.store %3, %c[%n2, %m] : !x, memref<37x256x!t>
    %4 = arith.andi %x, %y : !x
    %n3 = arith.constant 3 : index
    tile.store %4, %c[%n3, %m] : !x, memref<37x256x!t>
    %5 = arith.ori %x, %y : !x
    %n4 = arith.constant 4 : index
    tile.store %5, %c[%n4, %m] : !x, memref<37x256x!t>
    %6 = arith.xori %x, %y : !x
    %n5 = arith.constant 5 : index
    tile.store %6, %c[%n5, %m] : !x, memref<37x256x!t>
    %7 = arith.maxsi %x, %y : !x
    %n6 = arith.constant 6 : index
    tile.store %7, %c[%n6, %m] : !x, memref<37x256x!t>
    %8 = arith.minsi %x, %y : !x
    %n7 = arith.constant 7 : index
    tile.store %8, %c[%n7, %m] : !x, memref<37x256x!t>
    %9 = arith.maxui %x, %y : !x
    %n8 = arith.constant 8 : index
    tile.store %9, %c[%n8, %m] : !x, memref<37x256x!t>
    %10 = arith.minui %x, %y : !x
    %n9 = arith.constant 9 : index
    tile.store %10, %c[%n9, %m] : !x, memref<37x256x!t>
    %11 = arith.divsi %x, %odd : !x
    %n10 = arith.constant 10 : index
    tile.store %11, %c[%n10, %m] : !x, memref<37x256x!t>
    %12 = arith.remsi %x, %odd : !x
    %n11 = arith.constant 11 : index
    tile.store %12, %c[%n11, %m] : !x, memref<37x256x!t>
    %13 = arith.divui %x, %odd : !x
    %n12 = arith.constant 12 : index
    tile.store %13, %c[%n12, %m] : !x, memref<37x256x!t>
    %14 = arith.remui %x, %odd : !x
    %n13 = arith.constant 13 : index
    tile.store %14, %c[%n13, %m] : !x, memref<37x256x!t>
    %15 = arith.ceildivui %x, %odd : !x
    %n14 = arith.constant 14 : index
    tile.store %15, %c[%n14, %m] : !x, memref<37x256x!t>
    %16 = arith.floordivsi %x, %odd : !x
    %n15 = arith.constant 15 : index
    tile.store %16, %c[%n15, %m] : !x, memref<37x256x!t>
    %17 = arith.ceildivsi %x, %odd : !x
    %n16 = arith.constant 16 : index
    tile.store %17, %c[%n16, %m] : !x, memref<37x256x!t>
    %18 = arith.shli %x, %two : !x
    %n17 = arith.constant 17 : index
    tile.store %18, %c[%n17, %m] : !x, memref<37x256x!t>
    %19 = arith.shrsi %x, %two : !x
    %n18 = arith.constant 18 : index
    tile.store %19, %c[%n18, %m] : !x, memref<37x256x!t>
    %20 = arith.shrui %x, %two : !x
    %n19 = arith.constant 19 : index
    tile.store %20, %c[%n19, %m] : !x, memref<37x256x!t>
    %21 = arith.cmpi eq, %x, %y : !x
    %bit20 = arith.select %21, %x, %y : tensor<64xi1>, !x
    %n20 = arith.constant 20 : index
    tile.store %bit20, %c[%n20, %m] : !x, memref<37x256x!t>
    %22 = arith.cmpi ne, %x, %y : !x
    %bit21 = arith.select %22, %x, %y : tensor<64xi1>, !x
    %n21 = arith.constant 21 : index
    tile.store %bit21, %c[%n21, %m] : !x, memref<37x256x!t>
    %23 = arith.cmpi slt, %x, %y : !x
    %bit22 = arith.select %23, %x, %y : tensor<64xi1>, !x
    %n22 = arith.constant 22 : index
    tile.store %bit22, %c[%n22, %m] : !x, memref<37x256x!t>
    %24 = arith.cmpi sle, %x, %y : !x
    %bit23 = arith.select %24, %x, %y : tensor<64xi1>, !x
    %n23 = arith.constant 23 : index
    tile.store %bit23, %c[%n23, %m] : !x, memref<37x256x!t>
    %25 = arith.cmpi sgt, %x, %y : !x
    %bit24 = arith.select %25, %x, %y : tensor<64xi1>, !x
    %n24 = arith.constant 24 : index
    tile.store %bit24, %c[%n24, %m] : !x, memref<37x256x!t>
    %26 = arith.cmpi sge, %x, %y : !x
    %bit25 = arith.select %26, %x, %y : tensor<64xi1>, !x
    %n25 = arith.constant 25 : index
    tile.store %bit25, %c[%n25, %m] : !x, memref<37x256x!t>
    %27 = arith.cmpi ult, %x, %y : !x
    %bit26 = arith.select %27, %x, %y : tensor<64xi1>, !x
    %n26 = arith.constant 26 : index
    tile.store %bit26, %c[%n26, %m] : !x, memref<37x256x!t>
    %28 = arith.cmpi ule, %x, %y : !x
    %bit27 = arith.select %28, %x, %y : tensor<64xi1>, !x
    %n27 = arith.constant 27 : index
    tile.store %bit27, %c[%n27, %m] : !x, memref<37x256x!t>
    %29 = arith.cmpi ugt, %x, %y : !x
    %bit28 = arith.select %29, %x, %y : tensor<64xi1>, !x
    %n28 = arith.constant 28 : index
    tile.store %bit28, %c[%n28, %m] : !x, memref<37x256x!t>
    %30 = arith.cmpi uge, %x, %y : !x
    %bit29 = arith.select %30, %x, %y : tensor<64xi1>, !x
    %n29 = arith.constant 29 : index
    tile.store %bit29, %c[%n29, %m] : !x, memref<37x256x!t>
    %31 = arith.addi %x, %y : !x
    %32 = arith.muli %31, %x : !x
    %33 = arith.muli %y, %y : !x
    %34 = arith.addi %32, %33 : !x
    %n30 = arith.constant 30 : index
    tile.store %34, %c[%n30, %m] : !x, memref<37x256x!t>
    %35 = arith.muli %x, %x : !x
    %36 = arith.subi %y, %35 : !x
    %37 = arith.subi %x, %36 : !x
    %n31 = arith.constant 31 : index
    tile.store %37, %c[%n31, %m] : !x, memref<37x256x!t>
    %38 = arith.andi %x, %y : !x
    %39 = arith.ori %x, %y : !x
    %40 = arith.maxsi %38, %39 : !x
    %n32 = arith.constant 32 : index
    tile.store %40, %c[%n32, %m] : !x, memref<37x256x!t>
    %41 = arith.xori %x, %y : !x
    %42 = arith.addi %x, %y : !x
    %43 = arith.minsi %41, %42 : !x
    %n33 = arith.constant 33 : index
    tile.store %43, %c[%n33, %m] : !x, memref<37x256x!t>
    %44 = arith.addi %x, %y : !x
    %45 = arith.cmpi slt, %44, %y : !x
    %bit34 = arith.select %45, %x, %y : tensor<64xi1>, !x
    %n34 = arith.constant 34 : index
    tile.store %bit34, %c[%n34, %m] : !x, memref<37x256x!t>
    %46 = arith.muli %x, %y : !x
    %47 = arith.addi %y, %y : !x
    %48 = arith.cmpi ult, %46, %47 : !x
    %bit35 = arith.select %48, %x, %y : tensor<64xi1>, !x
    %n35 = arith.constant 35 : index
    tile.store %bit35, %c[%n35, %m] : !x, memref<37x256x!t>
    %49 = math.absi %x : !x
    %n36 = arith.constant 36 : index
    tile.store %49, %c[%n36, %m] : !x, memref<37x256x!t>
  }
}
