// Sums over the ranks in one buffer waited for all that each had read and sent before: these 6 had 27 to 59 waits, growing with the square of the sums, where ranks
// write to each other or sum in two steps. What a sum has written over, whoever waits for that has waited for: also where tasks of the one send to each peer, or
// read from each.
// RUN: for p in sequential-push sequential-push-two-shot sequential-pull-two-shot specialized-push; do tilec %s --world 4 --pattern $p --until=waits | grep -c 'tile.wait ' || exit 1; done | FileCheck %s
// CHECK: {{^}}22
// CHECK-NEXT: {{^}}24
// CHECK-NEXT: {{^}}24
// CHECK-NEXT: {{^}}20
// RUN: for p in sequential-push sequential-push-two-shot sequential-pull-two-shot specialized-push; do tilec run %s --world 3 --pattern $p --extent M=200 --race --memory weak --shuffle --skewed --launches 3 || exit 1; done
tile.program @sums<%M>(%x: memref<?x64xf32, #tile.symmetric>) extents [%x: %M, 64] {
  tile.all_reduce %x into %x : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.all_reduce %x into %x : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.all_reduce %x into %x : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.all_reduce %x into %x : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.all_reduce %x into %x : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.all_reduce %x into %x : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}
