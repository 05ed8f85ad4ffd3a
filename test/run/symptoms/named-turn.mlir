// RUN: tilec %s --world 1 --extent M=3 --emit=hip | FileCheck %s
// RUN: tilec run %s --world 1 --extent M=3

// A number that its author calls `turn` had the name of the one that counts tasks which are dealt out by number: the text
// did not compile.
// CHECK: for (int turn = 0, task = tilec::strided(launch, 0);
// CHECK: const int turn_ = s / 2;
tile.program @named_turn<%M>(%a: memref<2x?xf32>, %b: memref<?x?xf32>) extents [%a: 2, %M] [%b: %M, %M] {
  %two = arith.constant 2 : index
  tile.forall (%s, %i) in [%M, %M ceildiv 64] {
    %turn = arith.divui %s, %two : index
    %now = arith.remui %turn, %two : index
    %t = tile.load %a[%now, %i] tile [1, 64] : memref<2x?xf32> -> tensor<1x64xf32>
    tile.store %t, %b[%s, %i] : tensor<1x64xf32>, memref<?x?xf32>
  }
}
