// RUN: tilec run %s --world 3 --launches 4 --skewed --memory weak --race --shuffle --extent M=40 --pattern specialized-push
// RUN: tilec run %s --world 3 --launches 4 --skewed --memory weak --race --shuffle --extent M=40 --pattern sequential-push
// RUN: tilec run %s --world 3 --launches 2 --extent M=40 --pattern specialized-staged
// RUN: tilec explain %s --world 3 --pattern sequential-push | FileCheck %s
// CHECK: scratch full: peers write it; credit

// Every rank's shard is gathered and no task waits for all of them: that the reader's view is the whole buffer was taken
// for hearing from every rank, and the missing credit reported as the author's race.
tile.program @partly<%M>(%a: memref<?x256xf32, #tile.symmetric>, %b: memref<?x256xf32>) extents [%a: %M, 256] [%b: W * %M, 256] {
  %full = tile.alloc [W * %M, 256] : memref<?x256xf32, #tile.symmetric>
  tile.all_gather %a into %full dim 0 : memref<?x256xf32, #tile.symmetric>, memref<?x256xf32, #tile.symmetric>
  tile.forall (%m, %n) over %b tiles [32, 32] : memref<?x256xf32> {
    %two = arith.constant 2 : index
    %row = arith.remui %m, %two : index
    %t = tile.load %full[%row, %n] tile [32, 32] : memref<?x256xf32, #tile.symmetric> -> tensor<32x32xf32>
    tile.store %t, %b[%m, %n] : tensor<32x32xf32>, memref<?x256xf32>
  }
}
