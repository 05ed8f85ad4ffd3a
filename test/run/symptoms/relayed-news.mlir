// RUN: tilec verify --minimal %s --world 3 --pattern specialized-push | FileCheck %s
// RUN: tilec %s --world 3 --pattern specialized-push --until=waits | FileCheck %s --check-prefix=WAITS --implicit-check-not=%entered
// RUN: tilec verify %s --world 2 --pattern specialized-push
// RUN: tilec run %s --world 3 --pattern specialized-push --launches 8 --extents-from 1,40,100 --memory weak --race --skewed --shuffle --seed 7

// Role send hears of every rank by way of role combine, which has waited for all of them: no wait for `entered`.
// CHECK: @relayed: minimal: 3 waits, 3 signals
// WAITS: tile.store %{{.*}} to %peer after %
tile.program @relayed<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32, #tile.symmetric>) extents [%a: %M, 64] [%c: W * %M, 64] {
  %part = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  %sum = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %part tiles [32, 64] : memref<?x64xf32, #tile.symmetric> {
    %t = tile.load %a[%m, %n] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    tile.store %t, %part[%m, %n] : tensor<32x64xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.forall (%m, %n) over %sum tiles [32, 64] : memref<?x64xf32, #tile.symmetric> {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %world = tile.extent [W]
    %none = tile.splat 0.0 [32, 64] : tensor<32x64xf32>
    %total = scf.for %source = %zero to %world step %one iter_args(%so_far = %none) -> (tensor<32x64xf32>) {
      %t = tile.load %part[%m, %n] tile [32, 64] from %source : memref<?x64xf32, #tile.symmetric> -> tensor<32x64xf32>
      %next = arith.addf %so_far, %t : tensor<32x64xf32>
      scf.yield %next : tensor<32x64xf32>
    }
    tile.store %total, %sum[%m, %n] : tensor<32x64xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.all_gather %sum into %c dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}
