// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1},tile-choose{pattern=sequential granularity=task},tile-expand,tile-fuse,tile-waits))' 2>%t.txt | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.txt
// RUN: tilec-opt %s --split-input-file --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1},tile-choose{pattern=sequential granularity=task},tile-expand,tile-fuse,tile-waits,tile-verify))' 2>/dev/null | FileCheck %s --check-prefix=VERIFIED
// VERIFIED-COUNT-3: tile.program

// A gather waits for whatever writes its columns, in all rows.
// CHECK-LABEL: @gathered
// CHECK: tile.role @combine_2
// CHECK: %[[ROWS:.*]] = tile.extent [%M ceildiv 32]
// CHECK: %[[TOKEN:.*]] = tile.wait {{ *}}agent %combine_done[%{{.*}}, %d] count{{ ?}}[%[[ROWS]], %{{.*}}]
// CHECK: tile.gather %s{{ ?}}[each %list, %d] tile [16, 32] after %[[TOKEN]]
tile.program @gathered<%M, %N>(%ids: memref<?xi32>, %a: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%ids: %N] [%a: %M, 64] [%c: %N, 64] {
  %s = tile.alloc [%M, 64] : memref<?x64xf32>
  tile.forall (%m, %n) in [%M ceildiv 32, 2] {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %s[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
  tile.forall (%n, %d) in [%N ceildiv 16, 2] {
    %list = tile.load %ids[%n] tile [16] : memref<?xi32> -> tensor<16xi32>
    // REMARK: :[[@LINE+1]]:10: remark: takes part in a wait for all of dimension 0 of the buffer: the elements that it reads there are named by data
    %t = tile.gather %s[each %list, %d] tile [16, 32] : memref<?x64xf32>, tensor<16xi32> -> tensor<16x32xf32>
    tile.store %t, %c[%n, %d] : tensor<16x32xf32>, memref<?x64xf32>
  }
}

// -----

// Whoever reads what is scattered waits for all tasks that may have written to it.
// CHECK-LABEL: @scattered
// CHECK: tile.scatter
// CHECK: tile.role @combine_2
// CHECK: tile.wait {{ *}}agent %combine_done[%{{.*}}, %n]
// CHECK: tile.load %s [%m, %n] tile [32, 32] after
tile.program @scattered<%M, %N>(%slots: memref<?xi32>, %a: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%slots: %N] [%a: %N, 64] [%c: %M, 64] {
  %s = tile.alloc [%M, 64] : memref<?x64xf32>
  tile.forall (%m, %n) in [%N ceildiv 32, 2] {
    %list = tile.load %slots[%m] tile [32] : memref<?xi32> -> tensor<32xi32>
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    // REMARK: remark: takes part in a wait for all of dimension 0 of the buffer: the elements that it writes there are named by data
    tile.scatter %u, %s[each %list, %n] : tensor<32x32xf32>, memref<?x64xf32>, tensor<32xi32>
  }
  tile.forall (%m, %n) in [%M ceildiv 32, 2] {
    %t = tile.load %s[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}

// -----

// A number is awaited as a tile is, and what depends on it comes behind it.
// CHECK-LABEL: @counted
// CHECK: tile.role @combine_2
// CHECK: %[[TOKEN:.*]] = tile.wait {{ *}}agent %combine_done[%{{.*}}]
// CHECK: %length = tile.read %counts[%m] upto %M after %[[TOKEN]]
tile.program @counted<%M>(%a: memref<?xi32>, %x: memref<?x?xf32>, %c: memref<?x64xf32>) extents [%a: %M] [%x: %M, %M] [%c: %M, 64] {
  %counts = tile.alloc [%M] : memref<?xi32>
  tile.forall (%m) in [%M ceildiv 32] {
    %t = tile.load %a[%m] tile [32] : memref<?xi32> -> tensor<32xi32>
    %u = arith.addi %t, %t : tensor<32xi32>
    tile.store %u, %counts[%m] : tensor<32xi32>, memref<?xi32>
  }
  tile.forall (%m) in [%M] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = tile.splat 0.0 [64] : tensor<64xf32>
    %length = tile.read %counts[%m] upto %M : memref<?xi32>
    %sum = scf.for %i = %c0 to %length step %c1 iter_args(%before = %none) -> tensor<64xf32> {
      %t = tile.load %x at (%m, %i) tile [64] : memref<?x?xf32> -> tensor<64xf32>
      %next = arith.addf %before, %t : tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    }
    tile.store %sum, %c[%m, %c0] : tensor<64xf32>, memref<?x64xf32>
  }
}
