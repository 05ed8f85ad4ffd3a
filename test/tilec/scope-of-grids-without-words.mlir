// Grids without words begin at the same place. The wide one was taken for the other, which the launcher says stays
// within its device: "says scope 'agent' of grid 0, expected 'system'".
// RUN: tilec %s --extent M=5,T=5 --emit=hip | FileCheck %s
// CHECK: int relay_launch(

tile.program @relay<%M, %T>(%u: memref<3x?xf32, #tile.symmetric>) world 4 extents [%u: 3, %M] {
  %rank = tile.rank
  %world = tile.world_size
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %s = %c1 to %T step %c1 {
    %sp = arith.addi %s, %c1 : index
    %now = arith.remui %s, %c3 : index
    %nxt = arith.remui %sp, %c3 : index
    %q0 = arith.addi %rank, %c1 : index
    %q = arith.remui %q0, %world : index
    tile.forall (%i) in [%M floordiv 32] {
      %t0 = tile.load %u[%now, %i] tile [32] from %q : memref<3x?xf32, #tile.symmetric> -> tensor<32xf32>
      %early = arith.cmpi slt, %s, %c3 : index
      scf.if %early { tile.store %t0, %u[%nxt, %i] to %q : tensor<32xf32>, memref<3x?xf32, #tile.symmetric> }
    }
  }
  tile.forall (%i) in [%M ceildiv 32] {
    %z = tile.load %u[%c0, %i] tile [32] : memref<3x?xf32, #tile.symmetric> -> tensor<32xf32>
  }
}
