// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1},tile-choose{pattern=sequential granularity=task},tile-expand,tile-fuse,tile-waits,cse,tile-verify))' | FileCheck %s

// Two stores of a task, in different rows, and one signal for both: whoever reads over both waits once.
// CHECK: tile.role @combine_2
// CHECK: %[[TOKEN:.*]] = tile.wait agent %combine_done[%n]
// CHECK-NOT: tile.wait
// CHECK: tile.load %s [%{{.*}}, %n] tile [4, 64] after %[[TOKEN]]
tile.program @rows<%N>(%x: memref<?xf32>, %y: memref<4x?xf32>) extents [%x: %N] [%y: 4, %N] {
  %s = tile.alloc [4, %N] : memref<4x?xf32>
  tile.forall (%n) in [%N ceildiv 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %t = tile.load %x[%n] tile [64] : memref<?xf32> -> tensor<64xf32>
    scf.for %row = %c0 to %c3 step %c1 {
      tile.store %t, %s[%row, %n] : tensor<64xf32>, memref<4x?xf32>
    }
    %sum = arith.addf %t, %t : tensor<64xf32>
    tile.store %sum, %s[%c3, %n] : tensor<64xf32>, memref<4x?xf32>
  }
  tile.forall (%n) in [%N ceildiv 64] {
    %c0 = arith.constant 0 : index
    %t = tile.load %s[%c0, %n] tile [4, 64] : memref<4x?xf32> -> tensor<4x64xf32>
    %u = arith.addf %t, %t : tensor<4x64xf32>
    tile.store %u, %y[%c0, %n] : tensor<4x64xf32>, memref<4x?xf32>
  }
}
