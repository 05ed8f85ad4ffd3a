// A statement that stores its tile in a loop of no iteration with N=0: the copy of what was never written was fused away with the error, and its reader was left with whatever the buffer held.
// RUN: tilec verify %s | FileCheck %s
// RUN: sed -e 's/(%a: memref/(%n: i32, %a: memref/' -e 's/to %N step/to %few step/' -e 's/^    scf.for/    %few = tile.clamp %n upto %N : i32\n    scf.for/' %s | not tilec verify - 2>&1 | FileCheck %s --check-prefix=NUMBER
// CHECK: kernel @zero: progress any; refused with N=0
// NUMBER: error: reads element [0, 0] of '%t' on rank 0, by task (0) of role @copy on rank 0, which no store of the launch writes, with M=200/N=40/%n=0
tile.program @zero<%M, %N>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) extents [%a: %M, 64] [%b: %M, 64] {
  %t = tile.alloc [%M, 64] : memref<?x64xf32>
  tile.forall (%i) in [%M ceildiv 64] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %k = %zero to %N step %one {
      %x = tile.load %a[%i, %zero] tile [64, 64] : memref<?x64xf32> -> tensor<64x64xf32>
      tile.store %x, %t[%i, %zero] : tensor<64x64xf32>, memref<?x64xf32>
    }
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %zero = arith.constant 0 : index
    %x = tile.load %t[%i, %zero] tile [64, 64] : memref<?x64xf32> -> tensor<64x64xf32>
    tile.store %x, %b[%i, %zero] : tensor<64x64xf32>, memref<?x64xf32>
  }
}
