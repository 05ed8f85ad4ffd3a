// RUN: split-file %s %t
// RUN: not tilec verify %t/few.mlir 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not tilec verify %t/few.mlir --extent M=1000 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: tilec verify %t/many.mlir 2>&1 | FileCheck %s --check-prefixes=MANY,OPEN
// RUN: tilec verify %t/many.mlir --extent M=1000 2>&1 | FileCheck %s --check-prefix=BESIDE --implicit-check-not=alone
// RUN: tilec verify %t/product.mlir --extent M=1000 2>&1 | FileCheck %s --check-prefix=FIXED --implicit-check-not='launches up to'
// RUN: tilec verify %t/beside.mlir 2>&1 | FileCheck %s --check-prefix=BESIDE --implicit-check-not=alone
// RUN: tilec %t/many.mlir -o %t 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: FileCheck %s --check-prefix=MANIFEST --input-file=%t/many.json
// RUN: tilec verify --manifest %t/many.json

// A number of the launch stands in the index of tasks, which meet with one value of it alone: no sample had that value, and with extents that are fixed nothing was said.

//--- few.mlir
// The value is one of few: it is found, and a sample gives it.
// FEW: few.mlir:{{[0-9]+}}:5: error: data race: write of element [0] of '%b' on rank 0, {{.*}}two tasks of one role write one element, with {{.*}}%n=17
tile.program @few<%M>(%n: i32, %a: memref<?xf32>, %b: memref<?xf32>) world 1 extents [%a: %M] [%b: 400 * %M + 64] {
  tile.forall (%i) in [%M ceildiv 64] {
    %most = arith.constant 20 : index
    %middle = arith.constant 17 : index
    %given = tile.clamp %n upto %most : i32
    %apart = arith.subi %given, %middle : index
    %zero = arith.constant 0 : index
    %below = arith.subi %zero, %apart : index
    %distance = arith.maxsi %apart, %below : index
    %width = arith.constant 64 : index
    %far = arith.muli %distance, %width : index
    %at = arith.muli %far, %i : index
    %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %b at (%at) : tensor<64xf32>, memref<?xf32>
  }
}

//--- many.mlir
// The value is one of as many as there are rows: nobody knows, and the number is named. Of few tasks it is known again.
// MANY: many.mlir:{{[0-9]+}}:5: warning: nothing is proven beyond the samples: it is not known for all extents whether two tasks touch the same element here; it depends on %n, of which samples draw some values
// OPEN: progress any; launches up to M={{[0-9]+}} alone; of %n drawn values alone
// MANIFEST: "drawn": [
// MANIFEST-NEXT: "n"
tile.program @many<%M>(%n: i32, %a: memref<?xf32>, %b: memref<?x?xf32>) world 1 extents [%a: %M] [%b: %M, 64 * %M + 64] {
  tile.forall (%i) in [%M ceildiv 64] {
    %zero = arith.constant 0 : index
    %most = tile.extent [%M]
    %one = arith.constant 1 : index
    %row = tile.clamp %n upto %most : i32
    %factor = arith.addi %row, %one : index
    %width = arith.constant 64 : index
    %far = arith.muli %factor, %width : index
    %at = arith.muli %far, %i : index
    %u = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    %t = tile.reshape %u tile [1, 64] : tensor<64xf32> -> tensor<1x64xf32>
    tile.store %t, %b at (%zero, %at) : tensor<1x64xf32>, memref<?x?xf32>
  }
}

//--- product.mlir
// Extents that are fixed are no limit, numbers are.
// FIXED: product.mlir:{{[0-9]+}}:5: warning: nothing is proven beyond the samples: {{.*}}; it depends on {{%m and %n|%n and %m}}, of which samples draw some values
// FIXED: progress any; of {{%m and %n|%n and %m}} drawn values alone
tile.program @product<%M>(%n: i32, %m: i32, %a: memref<?xf32>, %b: memref<?x?xf32>) world 1 extents [%a: %M] [%b: %M, %M + 1000064] {
  tile.forall (%i) in [%M ceildiv 64] {
    %zero = arith.constant 0 : index
    %most = arith.constant 1000 : index
    %left = tile.clamp %n upto %most : i32
    %right = tile.clamp %m upto %most : i32
    %moved = arith.muli %left, %right : index
    %width = arith.constant 64 : index
    %begin = arith.muli %i, %width : index
    %at = arith.addi %begin, %moved : index
    %u = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    %t = tile.reshape %u tile [1, 64] : tensor<64xf32> -> tensor<1x64xf32>
    tile.store %t, %b at (%zero, %at) : tensor<1x64xf32>, memref<?x?xf32>
  }
}

//--- beside.mlir
// Where it moves all tasks alike it makes no difference: a rank has one number in a launch. This had limits.
// BESIDE: progress any
tile.program @beside<%M>(%n: i32, %a: memref<?xf32>, %b: memref<?xf32>) world 1 extents [%a: %M] [%b: 2 * %M + 64] {
  tile.forall (%i) in [%M ceildiv 64] {
    %width = arith.constant 64 : index
    %most = tile.extent [%M]
    %given = tile.clamp %n upto %most : i32
    %begin = arith.muli %i, %width : index
    %at = arith.addi %begin, %given : index
    %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %b at (%at) : tensor<64xf32>, memref<?xf32>
  }
}
