// RUN: tilec verify %s --world 3 --pattern specialized-push --granularity tile
// RUN: tilec verify %s --world 4 --pattern specialized-push --granularity shard
// RUN: tilec run %s --world 3 --pattern specialized-push --granularity tile --memory weak --units 16 --launches 3 --extents-from 1,40,100,200 --shuffle --seed 7
// RUN: tilec run %s --world 4 --pattern specialized-push --granularity shard --memory weak --extent M=130 --extent N=40 --extent K=200 --shuffle --seed 8
// RUN: tilec run %s --world 2 --pattern sequential-staged --granularity group-2 --launches 2 --extents-from 1,40,100,200 --shuffle --seed 9
// RUN: tilec run %s --world 3 --pattern bulk-push --granularity tile --extent M=40 --extent N=40 --extent K=72
// RUN: tilec run %s --world 3 --pattern sequential-pull --granularity tile --extent M=40 --extent N=40 --extent K=72
// RUN: tilec run %s --world 1 --granularity tile --extent M=40 --extent N=40 --extent K=300
// The wait goes with the loads of the next pass, and stands where they read another tile.
// RUN: tilec %s --world 3 --pattern specialized-push --granularity tile --emit hip | FileCheck %s
// Without the wait in the loop the first tiles still arrive: `verify` says which read races, weak memory shows zeros or NaN.
// RUN: tilec %s --world 3 --pattern specialized-push --granularity tile --until waits > %t.safe
// RUN: sed 's/ after %%[0-9]* : memref<?x?xbf16, #tile.symmetric>/ : memref<?x?xbf16, #tile.symmetric>/' %t.safe | not tilec verify - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/= tile.wait /s/=.*/= tile.join()/' %t.safe > %t.unsafe
// RUN: not tilec verify %t.unsafe 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not tilec run %t.unsafe --no-verify --memory weak --skewed --extent M=130 --extent N=40 --extent K=200 --seed 1 2>&1 | FileCheck %s --check-prefix=WRONG

// CHECK: for (int group
// CHECK: // full: written by role send
// CHECK-NEXT: tilec::wait<tilec::system>(launch, send_arrived,
// RACE: data race: read of element {{.*}} of '%full'
// WRONG: elements exceed their bound

// c = all_gather(a, along K) * b^T: every rank holds columns of a.
tile.program @gather_columns<%M, %N, %K>(%a: memref<?x?xbf16, #tile.symmetric>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, W * %K] [%c: %M, %N] {
  %full = tile.alloc [%M, W * %K] : memref<?x?xbf16, #tile.symmetric>
  tile.all_gather %a into %full dim 1 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %full, transpose %b into %c : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xbf16>
}
