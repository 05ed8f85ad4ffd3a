// RUN: tilec verify %s --world 1
// RUN: tilec run %s --world 1 --launches 2
// RUN: tilec run %s --world 1 --launches 2 --memory weak --shuffle --seed 3
// RUN: tilec %s --world 1 --emit=hip | FileCheck %s
// A task loads what it has stored, by other threads: the text had no barrier between, and threads read what was not there yet.
// CHECK: tilec::store
// CHECK-NOT: tilec::load_live
// CHECK: tilec::barrier();
// CHECK: tilec::load_live
tile.program @same<%M>(%x: memref<?x64xf32>, %y: memref<?x64xf32>) extents [%x: %M, 64] [%y: %M, 64] {
  %s = tile.alloc [%M, 64] : memref<?x64xf32>
  tile.kernel @same {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 2 : index
        %c2 = arith.constant 2 : index
        %t = tile.load %x[%m, %c0] tile [64, 64] : memref<?x64xf32> -> tensor<64x64xf32>
        %tok = tile.store %t, %s[%m, %c0] : tensor<64x64xf32>, memref<?x64xf32> -> !tile.token
        %b = arith.muli %m, %c4 : index
        scf.for %i = %c0 to %c4 step %c1 {
          %r = arith.remsi %i, %c2 : index
          %u = tile.load %s[%m, %r] tile [64, 32] : memref<?x64xf32> -> tensor<64x32xf32>
          tile.store %u, %y[%m, %r] : tensor<64x32xf32>, memref<?x64xf32>
        }
      }
    }
  }
}
