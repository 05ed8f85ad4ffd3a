// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec run %s --world 3 --pattern specialized-push --shuffle --skewed --seed 1 --seeds 10 --launches 12 --extents-from 9,10
// RUN: tilec %s --world 3 --pattern specialized-push --until=waits | FileCheck %s

// The ranks exchange nothing in a launch with K = 9, which has to leave to the next what two copies take for granted.
// CHECK: tile.wait system %consumed
tile.program @zpl<%M, %K>(%a: memref<?x?xf32>, %c: memref<?x64xf32, #tile.symmetric>) extents [%a: %M, %K] [%c: W * 32, 64] {
  %full = tile.alloc [W * %M, %K] : memref<?x?xf32, #tile.symmetric>
  %rank = tile.rank
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.all_gather %a into %full dim 0 : memref<?x?xf32>, memref<?x?xf32, #tile.symmetric>
  tile.forall (%p, %n) in [W, 2] {
    %zero = tile.splat 1.0 [32, 32] : tensor<32x32xf32>
    %rows = tile.extent [(W * %M) ceildiv 32]
    %cols = tile.extent [%K mod 9]
    %t0 = scf.for %k = %c0 to %cols step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) {
      %t1 = scf.for %m = %c0 to %rows step %c1 iter_args(%acc1 = %acc) -> (tensor<32x32xf32>) {
        %t = tile.load %full[%m, %k] tile [32, 32] : memref<?x?xf32, #tile.symmetric> -> tensor<32x32xf32>
        %s = arith.addf %t, %acc1 : tensor<32x32xf32>
        scf.yield %s : tensor<32x32xf32>
      }
      scf.yield %t1 : tensor<32x32xf32>
    }
    tile.store %t0, %c[%p, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
}
