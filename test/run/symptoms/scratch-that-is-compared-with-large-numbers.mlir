// What nobody wrote is compared with a number that oracles whose scratch held small ones lay on one side of, and the results were called right.
// RUN: split-file %s %t
// RUN: tilec run %t/floats.mlir --world 1 --extent M=70 > %t/floats.txt 2>&1; test $? = 4 && FileCheck %s --input-file=%t/floats.txt
// RUN: tilec run %t/integers.mlir --world 1 --extent M=70 > %t/integers.txt 2>&1; test $? = 4 && FileCheck %s --input-file=%t/integers.txt
// RUN: tilec run %t/equal.mlir --world 1 --extent M=70 > %t/equal.txt 2>&1; test $? = 4 && FileCheck %s --input-file=%t/equal.txt
// RUN: tilec run %t/moved.mlir --world 1 --extent M=70 > %t/moved.txt 2>&1; test $? = 4 && FileCheck %s --input-file=%t/moved.txt
// CHECK: warning: undetermined: nobody writes %x[
// CHECK: rank 0: {{.*}}, undetermined

//--- floats.mlir
tile.program @floats<%M>(%ids: memref<?xi32>, %a: memref<?xf32>, %c: memref<?xf32>) extents [%ids: %M] [%a: %M] [%c: %M] indices [%ids: 2 * %M distinct] {
  %x = tile.alloc [%M] : memref<?xf32>
  tile.forall (%m) in [%M ceildiv 32] {
    %nowhere = arith.constant -1 : i32
    %i = tile.load %ids[%m] tile [32] else %nowhere : i32 : memref<?xi32> -> tensor<32xi32>
    %t = tile.load %a[%m] tile [32] : memref<?xf32> -> tensor<32xf32>
    tile.scatter %t, %x[each %i] : tensor<32xf32>, memref<?xf32>, tensor<32xi32>
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %t = tile.load %x[%m] tile [32] : memref<?xf32> -> tensor<32xf32>
    %large = tile.splat 5.0e+08 [32] : tensor<32xf32>
    %b = arith.cmpf ogt, %t, %large : tensor<32xf32>
    %one = tile.splat 1.0 [32] : tensor<32xf32>
    %two = tile.splat 2.0 [32] : tensor<32xf32>
    %u = arith.select %b, %one, %two : tensor<32xi1>, tensor<32xf32>
    tile.store %u, %c[%m] : tensor<32xf32>, memref<?xf32>
  }
}
//--- integers.mlir
tile.program @integers<%M>(%ids: memref<?xi32>, %a: memref<?xi32>, %c: memref<?xi32>) extents [%ids: %M] [%a: %M] [%c: %M] indices [%ids: 2 * %M distinct] {
  %x = tile.alloc [%M] : memref<?xi32>
  tile.forall (%m) in [%M ceildiv 32] {
    %nowhere = arith.constant -1 : i32
    %i = tile.load %ids[%m] tile [32] else %nowhere : i32 : memref<?xi32> -> tensor<32xi32>
    %t = tile.load %a[%m] tile [32] : memref<?xi32> -> tensor<32xi32>
    tile.scatter %t, %x[each %i] : tensor<32xi32>, memref<?xi32>, tensor<32xi32>
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %t = tile.load %x[%m] tile [32] : memref<?xi32> -> tensor<32xi32>
    %large = tile.splat 500000000 [32] : tensor<32xi32>
    %b = arith.cmpi sgt, %t, %large : tensor<32xi32>
    %one = tile.splat 1 [32] : tensor<32xi32>
    %two = tile.splat 2 [32] : tensor<32xi32>
    %u = arith.select %b, %one, %two : tensor<32xi1>, tensor<32xi32>
    tile.store %u, %c[%m] : tensor<32xi32>, memref<?xi32>
  }
}
//--- equal.mlir
tile.program @equal<%M>(%ids: memref<?xi32>, %a: memref<?xi32>, %c: memref<?xi32>) extents [%ids: %M] [%a: %M] [%c: %M] indices [%ids: 2 * %M distinct] {
  %x = tile.alloc [%M] : memref<?xi32>
  tile.forall (%m) in [%M ceildiv 32] {
    %nowhere = arith.constant -1 : i32
    %i = tile.load %ids[%m] tile [32] else %nowhere : i32 : memref<?xi32> -> tensor<32xi32>
    %t = tile.load %a[%m] tile [32] : memref<?xi32> -> tensor<32xi32>
    tile.scatter %t, %x[each %i] : tensor<32xi32>, memref<?xi32>, tensor<32xi32>
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %t = tile.load %x[%m] tile [32] : memref<?xi32> -> tensor<32xi32>
    %mark = arith.constant 77777 : i32
    %marks = tile.splat %mark [32] : tensor<32xi32>
    %b = arith.cmpi eq, %t, %marks : tensor<32xi32>
    %one = tile.splat 1 [32] : tensor<32xi32>
    %two = tile.splat 2 [32] : tensor<32xi32>
    %u = arith.select %b, %one, %two : tensor<32xi1>, tensor<32xi32>
    tile.store %u, %c[%m] : tensor<32xi32>, memref<?xi32>
  }
}
//--- moved.mlir
tile.program @moved<%M>(%ids: memref<?xi32>, %a: memref<?xi32>, %c: memref<?xi32>) extents [%ids: %M] [%a: %M] [%c: %M] indices [%ids: 2 * %M distinct] {
  %x = tile.alloc [%M] : memref<?xi32>
  tile.forall (%m) in [%M ceildiv 32] {
    %nowhere = arith.constant -1 : i32
    %i = tile.load %ids[%m] tile [32] else %nowhere : i32 : memref<?xi32> -> tensor<32xi32>
    %t = tile.load %a[%m] tile [32] : memref<?xi32> -> tensor<32xi32>
    tile.scatter %t, %x[each %i] : tensor<32xi32>, memref<?xi32>, tensor<32xi32>
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %t = tile.load %x[%m] tile [32] : memref<?xi32> -> tensor<32xi32>
    %mark = arith.constant 77778 : i32
    %marks = tile.splat %mark [32] : tensor<32xi32>
    %three = arith.constant 3 : i32
    %threes = tile.splat %three [32] : tensor<32xi32>
    %times = arith.muli %t, %threes : tensor<32xi32>
    %more = arith.addi %times, %threes : tensor<32xi32>
    %b = arith.cmpi eq, %more, %marks : tensor<32xi32>
    %one = tile.splat 1 [32] : tensor<32xi32>
    %two = tile.splat 2 [32] : tensor<32xi32>
    %u = arith.select %b, %one, %two : tensor<32xi1>, tensor<32xi32>
    tile.store %u, %c[%m] : tensor<32xi32>, memref<?xi32>
  }
}
