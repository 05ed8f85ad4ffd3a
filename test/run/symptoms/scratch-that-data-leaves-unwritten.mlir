// RUN: split-file %s %t
// RUN: tilec run %t/rows.mlir --world 1 --extent N=20,S=40 > %t/rows.txt 2>&1; test $? = 4 && FileCheck %s --check-prefix=ROWS --input-file=%t/rows.txt
// RUN: tilec run %t/rows.mlir --world 1 --extent N=40,S=40
// RUN: tilec run %t/masked.mlir --world 1 --extent N=20,S=40
// RUN: env TILEC_CXXFLAGS=-O2 tilec run %t/masked.mlir --world 1 --extent N=20,S=40 --race | FileCheck %s --check-prefix=MASKED
// RUN: env TILEC_CXXFLAGS=-O2 tilec run %t/rows.mlir --world 1 --extent N=20,S=40 --race > %t/race.txt 2>&1; test $? = 4 && FileCheck %s --check-prefix=RACE --input-file=%t/race.txt
// RUN: tilec run %t/whole.mlir --world 2 --extent N=20,S=40 --launches 2 > %t/whole.txt 2>&1; test $? = 4 && FileCheck %s --check-prefix=WHOLE --input-file=%t/whole.txt
// RUN: tilec run %t/compared.mlir --world 1 --extent N=20,S=40 > %t/compared.txt 2>&1; test $? = 4 && FileCheck %s --check-prefix=COMPARED --input-file=%t/compared.txt
// RUN: tilec run %t/nan.mlir --world 1 --extent N=40 | FileCheck %s --check-prefix=NAN

// Rows that no index names are written by nobody. The oracle and the text both read the NaN that lay there, and the run
// said `largest error 0`.
// ROWS: rows.mlir:4:8: warning: undetermined: nobody writes %x[{{[0-9]+}}, 0] of rank 0 before it is read in launch 0; elements of %y on rank 0 that depend on what is not written: 320, the first [{{[0-9]+}}, 0]
// ROWS: rank 0: largest error 0, bound 0 at %y[{{[0-9]+}}, 0]; {{.*}}, undetermined
// ROWS-NEXT: repeat with: {{.*}} run
//--- rows.mlir
tile.program @rows<%N, %S>(%slots: memref<?xi32>, %a: memref<?x16xf32>, %y: memref<?x16xf32>)
    extents [%slots: %N] [%a: %N, 16] [%y: %S, 16] indices [%slots: %S distinct] {
  %zero = arith.constant 0 : index
  %x = tile.alloc [%S, 16] : memref<?x16xf32>
  tile.forall (%n) in [%N ceildiv 32] {
    %nowhere = arith.constant -1 : i32
    %slot = tile.load %slots[%n] tile [32] else %nowhere : i32 : memref<?xi32> -> tensor<32xi32>
    %t = tile.load %a[%n, %zero] tile [32, 16] : memref<?x16xf32> -> tensor<32x16xf32>
    tile.scatter %t, %x[each %slot, %zero] : tensor<32x16xf32>, memref<?x16xf32>, tensor<32xi32>
  }
  tile.forall (%s) in [%S ceildiv 32] {
    %t = tile.load %x[%s, %zero] tile [32, 16] : memref<?x16xf32> -> tensor<32x16xf32>
    tile.store %t, %y[%s, %zero] : tensor<32x16xf32>, memref<?x16xf32>
  }
}

// What is read and then left out reaches nobody. With --race it was an error, and so was what is undetermined without.
// MASKED: rank 0: {{.*}}waits{{$}}
// MASKED: unwritten: {{[0-9]+}} bytes of %x, {{.*}} hold nothing
// MASKED-NEXT: read by workgroup {{.*}}, at masked.hip:
// MASKED-NEXT: the program itself reads what nobody wrote of it: no result depends on that
// RACE: rank 0: {{.*}}, undetermined
// RACE: unwritten: {{[0-9]+}} bytes of %x
// RACE: the program itself reads what nobody wrote of it: results that depend on that are undetermined
//--- masked.mlir
tile.program @masked<%N, %S>(%slots: memref<?xi32>, %a: memref<?x16xf32>, %y: memref<?x16xf32>)
    extents [%slots: %N] [%a: %N, 16] [%y: %N, 16] indices [%slots: %S distinct] {
  %zero = arith.constant 0 : index
  %x = tile.alloc [%S, 16] : memref<?x16xf32>
  %z = tile.alloc [%S, 16] : memref<?x16xf32>
  tile.forall (%n) in [%N ceildiv 32] {
    %nowhere = arith.constant -1 : i32
    %slot = tile.load %slots[%n] tile [32] else %nowhere : i32 : memref<?xi32> -> tensor<32xi32>
    %t = tile.load %a[%n, %zero] tile [32, 16] : memref<?x16xf32> -> tensor<32x16xf32>
    tile.scatter %t, %x[each %slot, %zero] : tensor<32x16xf32>, memref<?x16xf32>, tensor<32xi32>
  }
  tile.forall (%s) in [%S ceildiv 32] {
    %t = tile.load %x[%s, %zero] tile [32, 16] : memref<?x16xf32> -> tensor<32x16xf32>
    %u = arith.addf %t, %t : tensor<32x16xf32>
    tile.store %u, %z[%s, %zero] : tensor<32x16xf32>, memref<?x16xf32>
  }
  tile.forall (%n) in [%N ceildiv 32] {
    %nowhere = arith.constant -1 : i32
    %slot = tile.load %slots[%n] tile [32] else %nowhere : i32 : memref<?xi32> -> tensor<32xi32>
    %t = tile.gather %z[each %slot, %zero] tile [32, 16] : memref<?x16xf32>, tensor<32xi32> -> tensor<32x16xf32>
    tile.store %t, %y[%n, %zero] : tensor<32x16xf32>, memref<?x16xf32>
  }
}

// Through a collective and a sum, and for integers, whose error has no bound.
// WHOLE: whole.mlir:4:8: warning: undetermined: nobody writes %x[{{[0-9]+}}] of rank 0 before it is read in launch 0; elements of %y on rank 0 that depend on what is not written: 1, the first [0]
// WHOLE: rank 0: {{.*}}, undetermined
// WHOLE: rank 1: {{.*}}, undetermined
//--- whole.mlir
tile.program @whole<%N, %S>(%slots: memref<?xi32>, %y: memref<1xi32>)
    extents [%slots: %N] [%y: 1] indices [%slots: %S distinct] {
  %zero = arith.constant 0 : index
  %x = tile.alloc [%S] : memref<?xi32, #tile.symmetric>
  %all = tile.alloc [W * %S] : memref<?xi32, #tile.symmetric>
  tile.forall (%n) in [%N ceildiv 32] {
    %nowhere = arith.constant -1 : i32
    %slot = tile.load %slots[%n] tile [32] else %nowhere : i32 : memref<?xi32> -> tensor<32xi32>
    tile.scatter %slot, %x[each %slot] : tensor<32xi32>, memref<?xi32, #tile.symmetric>, tensor<32xi32>
  }
  tile.all_gather %x into %all dim 0 : memref<?xi32, #tile.symmetric>, memref<?xi32, #tile.symmetric>
  tile.forall (%i) in [1] {
    %t = tile.load %all[%zero] tile [128] : memref<?xi32, #tile.symmetric> -> tensor<128xi32>
    %sum = tile.reduce add %t dim 0 : tensor<128xi32> -> tensor<i32>
    %one = tile.broadcast %sum dims [] tile [1] : tensor<i32> -> tensor<1xi32>
    tile.store %one, %y[%zero] : tensor<1xi32>, memref<1xi32>
  }
}

// A comparison with a NaN has a result, but not the one that another number has.
// COMPARED: warning: undetermined: nobody writes %x[
// COMPARED: rank 0: {{.*}}, undetermined
//--- compared.mlir
tile.program @compared<%N, %S>(%slots: memref<?xi32>, %a: memref<?xf32>, %y: memref<?xf32>)
    extents [%slots: %N] [%a: %N] [%y: %S] indices [%slots: %S distinct] {
  %x = tile.alloc [%S] : memref<?xf32>
  tile.forall (%n) in [%N ceildiv 32] {
    %nowhere = arith.constant -1 : i32
    %slot = tile.load %slots[%n] tile [32] else %nowhere : i32 : memref<?xi32> -> tensor<32xi32>
    %t = tile.load %a[%n] tile [32] : memref<?xf32> -> tensor<32xf32>
    tile.scatter %t, %x[each %slot] : tensor<32xf32>, memref<?xf32>, tensor<32xi32>
  }
  tile.forall (%s) in [%S ceildiv 32] {
    %t = tile.load %x[%s] tile [32] : memref<?xf32> -> tensor<32xf32>
    %three = tile.splat 3.0 [32] : tensor<32xf32>
    %four = tile.splat 4.0 [32] : tensor<32xf32>
    %isLess = arith.cmpf olt, %t, %four : tensor<32xf32>
    %u = arith.select %isLess, %three, %four : tensor<32xi1>, tensor<32xf32>
    tile.store %u, %y[%s] : tensor<32xf32>, memref<?xf32>
  }
}

// A NaN that comes of the inputs is a result, in scratch too.
// NAN: rank 0: largest error 0, bound 0 at %y[{{[0-9]+}}]; {{.*}}waits{{$}}
//--- nan.mlir
tile.program @nan<%N>(%a: memref<?xf32>, %y: memref<?xf32>) extents [%a: %N] [%y: %N] {
  %x = tile.alloc [%N] : memref<?xf32>
  tile.forall (%n) in [%N ceildiv 32] {
    %t = tile.load %a[%n] tile [32] : memref<?xf32> -> tensor<32xf32>
    %zero = arith.subf %t, %t : tensor<32xf32>
    %u = arith.divf %zero, %zero : tensor<32xf32>
    tile.store %u, %x[%n] : tensor<32xf32>, memref<?xf32>
  }
  tile.forall (%n) in [%N ceildiv 32] {
    %t = tile.load %x[%n] tile [32] : memref<?xf32> -> tensor<32xf32>
    tile.store %t, %y[%n] : tensor<32xf32>, memref<?xf32>
  }
}
