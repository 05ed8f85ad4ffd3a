// RUN: tilec verify %s --world 3 --pattern specialized-push --granularity task
// RUN: tilec run %s --world 3 --pattern specialized-push --granularity task --memory weak --race --skewed --shuffle --seed 1 --seeds 4 --launches 10 --extents-from 9,18
// RUN: tilec %s --world 3 --pattern specialized-push --granularity task --until=waits | FileCheck %s
// Without that wait the checker tries K = 9 by itself.
// RUN: tilec %s --world 3 --pattern specialized-push --granularity task --until=order | sed -E 's/(%entered_[0-9]+) = tile.wait .*/\1 = tile.join()/' > %t.mlir
// RUN: not tilec verify %t.mlir 2>&1 | FileCheck %s --check-prefix=REMOVED
// RUN: not tilec run %t.mlir --no-verify --memory weak --race --skewed --shuffle --seeds 4 --launches 10 --extents-from 9,18 | FileCheck %s --check-prefix=EMULATED

// The reader's loop has no pass for K = 9, and its wait asks for nothing: the task has heard from nobody when it stores
// into the arguments of its peers.
// CHECK: tile.wait  system %entered
// REMOVED: error: data race: write of '%c' on rank {{.*}} may come before that rank has entered the launch
// EMULATED: {{race:|WRONG}}
tile.program @zp<%M, %K>(%a: memref<?x?xf32>, %c: memref<?x64xf32, #tile.symmetric>) extents [%a: %M, %K] [%c: W * 32, 64] {
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
    tile.store %t0, %c[%rank, %n] to %p : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
}
