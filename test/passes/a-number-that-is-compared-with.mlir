// A number of the launch that equals a constant of the program makes all tasks meet, or leaves scratch unwritten: no sample gave just this one.
// RUN: split-file %s %t
// RUN: not tilec verify %t/meet.mlir --world 1 2>&1 | FileCheck %s --check-prefix=MEET
// RUN: not tilec verify %t/unwritten.mlir --world 1 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// MEET: error: data race: write of element [0] of '%b' on rank 0
// MEET-SAME: with M=200/%q=17
// UNWRITTEN: error: reads element [0] of '%x' on rank 0
// UNWRITTEN-SAME: which no store of the launch writes, with M=200/%q=17

//--- meet.mlir
tile.program @n3<%M>(%q: i32, %a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %c40 = arith.constant 40 : index
  %c32 = arith.constant 32 : index
  %n = tile.clamp %q upto %c40 : i32
  tile.forall (%m) in [%M ceildiv 32] {
    %t = tile.load %a[%m] tile [32] : memref<?xf32> -> tensor<32xf32>
    %c17 = arith.constant 17 : index
    %eq = arith.cmpi eq, %n, %c17 : index
    %c0 = arith.constant 0 : index
    %w = arith.select %eq, %c0, %m : index
    tile.store %t, %b[%w] : tensor<32xf32>, memref<?xf32>
  }
}

//--- unwritten.mlir
tile.program @n1<%M>(%q: i32, %a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %x = tile.alloc [%M] : memref<?xf32>
  %n = tile.clamp %q upto %M : i32
  %c17 = arith.constant 17 : index
  %ok = arith.cmpi ne, %n, %c17 : index
  tile.forall (%m) in [%M ceildiv 32] {
    %t = tile.load %a[%m] tile [32] : memref<?xf32> -> tensor<32xf32>
    scf.if %ok {
      tile.store %t, %x[%m] : tensor<32xf32>, memref<?xf32>
    }
  }
  tile.forall (%m) in [%M ceildiv 64] {
    %t = tile.load %x[%m] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %b[%m] : tensor<64xf32>, memref<?xf32>
  }
}
