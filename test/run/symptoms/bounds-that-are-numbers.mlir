// Tasks whose number is given at launch, and others that read what they write: signals count tasks along a grid, and the
// compiler crashed where no expression over the extents sizes one.
// RUN: not tilec run %s --world 2 --pattern sequential 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: bounds-that-are-numbers.mlir:[[#@LINE+21]]:{{[0-9]+}}: error: 'tile.forall' op has a bound that is no expression over the extents, for whose tasks this pattern has no waits; expected extents, or pattern 'bulk'
// REFUSED: bounds-that-are-numbers.mlir:[[#@LINE+25]]:{{[0-9]+}}: note: this access has to wait for them
// Where no pattern is given, it is the one that takes them, and `explain` says what is wrong with the others.
// RUN: tilec explain %s --world 2 | FileCheck %s --check-prefix=EXPLAINED
// EXPLAINED: part: pattern bulk (chosen)
// EXPLAINED: bulk {{.*}} us
// EXPLAINED: sequential {{ *}}refused: {{.*}}bounds-that-are-numbers.mlir:[[#@LINE+15]]: 'tile.forall' op has a bound that is no expression over the extents
// EXPLAINED: specialized {{ *}}refused: {{.*}}bounds-that-are-numbers.mlir:[[#@LINE+14]]: 'tile.forall' op has a bound that is no expression over the extents
// RUN: tilec run %s --world 2 --extents-from 1,200 --launches 2 | FileCheck %s
// RUN: tilec run %s --world 2 --pattern bulk --extents-from 1,200 --launches 2 | FileCheck %s
// CHECK: rank 0: largest error 0, bound 0
// CHECK: rank 1: largest error 0, bound 0

tile.program @part<%M, %N>(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %count: i32) extents [%a: %M, %N] [%b: %M, %N] {
  %sums = tile.alloc [%M, %N] : memref<?x?xf32, #tile.symmetric>
  %rank = tile.rank
  %c0 = arith.constant 0 : index
  %rows = tile.extent [%M ceildiv 16]
  %given = tile.clamp %count upto %rows : i32
  %more = arith.addi %rows, %given : index
  %all = arith.minsi %rows, %more : index
  tile.forall (%m, %n) in [%all, %N ceildiv 64] {
    %t = tile.load %a[%m, %n] tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
    tile.store %t, %sums[%m, %n] : tensor<16x64xf32>, memref<?x?xf32, #tile.symmetric>
  }
  tile.forall (%m, %n) in [%M ceildiv 16, %N ceildiv 64] {
    %t = tile.load %sums[%m, %n] tile [16, 64] from %c0 : memref<?x?xf32, #tile.symmetric> -> tensor<16x64xf32>
    tile.store %t, %b[%m, %n] : tensor<16x64xf32>, memref<?x?xf32>
  }
}
