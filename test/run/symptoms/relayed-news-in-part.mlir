// RUN: tilec verify --minimal %s --world 3 --pattern specialized-push | FileCheck %s --check-prefix=MINIMAL
// RUN: tilec %s --world 3 --pattern specialized-push --until=waits | FileCheck %s
// RUN: tilec run %s --world 3 --pattern specialized-push --launches 8 --extents-from 1,40,100 --memory weak --race --skewed --shuffle --seed 7

// Half of what role send reads is the sum over all ranks; the other half tells of no rank, and needs `entered`.
// CHECK: tile.wait  system %entered
// The two halves do not meet, whatever M is: neither statement waits for the other.
// MINIMAL: @relayed_in_part: minimal: 5 waits
tile.program @relayed_in_part<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32, #tile.symmetric>) extents [%a: %M, 64] [%c: W * (2 * %M), 64] {
  %part = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  %both = tile.alloc [2 * %M, 64] : memref<?x64xf32, #tile.symmetric>
  %sum = memref.subview %both[0, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1]>, #tile.symmetric>
  %own = memref.subview %both[%M, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  tile.forall (%m, %n) over %part tiles [32, 64] : memref<?x64xf32, #tile.symmetric> {
    %t = tile.load %a[%m, %n] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    tile.store %t, %part[%m, %n] : tensor<32x64xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.forall (%m, %n) over %sum tiles [32, 64] : memref<?x64xf32, strided<[64, 1]>, #tile.symmetric> {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %world = tile.extent [W]
    %none = tile.splat 0.0 [32, 64] : tensor<32x64xf32>
    %total = scf.for %source = %zero to %world step %one iter_args(%so_far = %none) -> (tensor<32x64xf32>) {
      %t = tile.load %part[%m, %n] tile [32, 64] from %source : memref<?x64xf32, #tile.symmetric> -> tensor<32x64xf32>
      %next = arith.addf %so_far, %t : tensor<32x64xf32>
      scf.yield %next : tensor<32x64xf32>
    }
    tile.store %total, %sum[%m, %n] : tensor<32x64xf32>, memref<?x64xf32, strided<[64, 1]>, #tile.symmetric>
  }
  tile.forall (%m, %n) over %own tiles [32, 64] : memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric> {
    %t = tile.load %a[%m, %n] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    tile.store %t, %own[%m, %n] : tensor<32x64xf32>, memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  }
  tile.all_gather %both into %c dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}
