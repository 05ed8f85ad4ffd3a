// RUN: split-file %s %t
// RUN: not tilec-opt %t/ring.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=sequential granularity=task},tile-expand,tile-fuse,tile-waits))' 2>&1 | FileCheck %s --check-prefix=RING
// RUN: not tilec-opt %t/time.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1},tile-choose{pattern=sequential granularity=task},tile-expand,tile-fuse,tile-waits))' 2>&1 | FileCheck %s --check-prefix=TIME

// A ring in one buffer: the rank before fills the copy that a step reads.
// RING: ring.mlir:[[#]]:{{.*}} error: 'tile.load' op reads what another task of the same step writes: the buffer has too few copies, expected one whose leading dimension the steps take in turn
// RING: note: it is written here

// A stencil in place: a task reads what its neighbour writes.
// TIME: error: 'tile.load' op reads what another task of the same step writes: the buffer has too few copies, expected one whose leading dimension the steps take in turn
// TIME: note: it is written here

//--- ring.mlir
tile.program @ring<%M>(%a: memref<?xf32>) extents [%a: %M] {
  %inbox = tile.alloc [2, %M] : memref<2x?xf32, #tile.symmetric>
  %rank = tile.rank
  %world = tile.world_size
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ahead = arith.addi %rank, %c1 : index
  %next = arith.remui %ahead, %world : index
  %steps = tile.extent [W - 1]
  scf.for %s = %c0 to %steps step %c1 {
    %now = arith.remui %s, %c2 : index
    %after = arith.addi %s, %c2 : index
    %same = arith.remui %after, %c2 : index
    tile.forall (%i) in [%M ceildiv 32] {
      %t = tile.load %inbox[%now, %i] tile [32] : memref<2x?xf32, #tile.symmetric> -> tensor<32xf32>
      tile.store %t, %inbox[%same, %i] to %next : tensor<32xf32>, memref<2x?xf32, #tile.symmetric>
      tile.store %t, %a[%i] : tensor<32xf32>, memref<?xf32>
    }
  }
}

//--- time.mlir
tile.program @time<%M>(%a: memref<?xf32>) extents [%a: %M] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %s = %c0 to %c4 step %c1 {
    tile.forall (%i) in [%M ceildiv 32] {
      %c32 = arith.constant 32 : index
      %here = arith.muli %i, %c32 : index
      %left = arith.subi %here, %c1 : index
      %t = tile.load %a at (%left) tile [32] : memref<?xf32> -> tensor<32xf32>
      tile.store %t, %a at (%here) : tensor<32xf32>, memref<?xf32>
    }
  }
}
