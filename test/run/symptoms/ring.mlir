// RUN: tilec verify %s --world 3 --pattern bulk-push
// RUN: tilec verify %s --world 4 --pattern sequential-staged
// RUN: tilec verify %s --world 5 --pattern specialized-push
// RUN: tilec verify %s --world 3 --pattern specialized-push-credits
// RUN: tilec run %s --world 3 --pattern specialized-push --memory weak --skewed --launches 4 --extents-from 1,40,100 --seed 7
// RUN: tilec run %s --world 4 --pattern specialized-push-credits --memory weak --skewed --launches 4 --extents-from 1,40,100 --seed 8
// RUN: tilec explain %s --world 4 --pattern specialized-push | FileCheck %s
// RUN: tilec explain %s --world 4 --pattern specialized-push-credits | FileCheck %s --check-prefix=ONE
// Two copies without the credit survive two launches, not three.
// RUN: tilec %s --world 3 --pattern specialized-push --until waits | sed 's/ after %%consumed[_0-9]*//' > %t.unsafe
// RUN: not tilec verify %t.unsafe 2>&1 | FileCheck %s --check-prefix=RACE
// One copy whose credit lags two launches is not free either.
// RUN: tilec %s --world 3 --pattern specialized-push-credits --until waits | sed 's/ lag 1/ lag 2/' | not tilec verify - 2>&1 | FileCheck %s --check-prefix=RACE

// CHECK: scratch t: peers write it; credit, each rank signals `consumed` at its end and writers wait for that of every rank, with lag 2; 3 messages per launch, 0.0 us; 2 copies, 1.05 MB
// ONE: scratch t: peers write it; credit, each rank signals `consumed` at its end and writers wait for that of every rank, with lag 1; 3 messages per launch, 2.0 us; 1 copy, 0.52 MB
// RACE: data race: write of element {{.*}} of '%t'

// A ring through scratch alone: no rank has signals from those behind it, so only a credit proves that a copy is free.
tile.program @ring<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%c: %M, 64] {
  %s = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  %t = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %a tiles [32, 32] : memref<?x64xf32> {
    %x = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %x, %x : tensor<32x32xf32>
    tile.store %u, %s[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.shift %s into %t by 1 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %x = tile.load %t[%m, %n] tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %x, %x : tensor<32x32xf32>
    tile.store %u, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}
