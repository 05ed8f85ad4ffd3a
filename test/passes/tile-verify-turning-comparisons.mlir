// A range without a sign as 32 bits (from 3000 to 4999) had no sample within, and of two comparisons of the same numbers
// (5000 or below, 5000) the second had none.
// RUN: tilec %s --until=verify | FileCheck %s
// CHECK: samples = [{{.*}}[5000, 200], [3000, 200], [200, 5001], [200, 5000],
tile.program @p<%M, %N>(%a: memref<?xf32>, %b: memref<?xf32>) world 1 extents [%a: %M + %N] [%b: %M + %N] {
  %from = arith.constant 3000 : i32
  %many = arith.constant 2000 : i32
  %far = arith.constant 5000 : index
  %m = arith.index_cast %M : index to i32
  %behind = arith.subi %m, %from : i32
  %is_within = arith.cmpi ult, %behind, %many : i32
  %is_near = arith.cmpi sle, %N, %far : index
  %is_there = arith.cmpi eq, %N, %far : index
  %some = arith.ori %is_within, %is_near : i1
  %any = arith.ori %some, %is_there : i1
  tile.forall (%i) in [%M ceildiv 64] {
    scf.if %any {
      %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
    }
  }
}
