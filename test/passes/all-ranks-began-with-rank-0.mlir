// Every rank stored its tiles to rank 0 first, whose link then took what all sent: the loop begins with the next rank, and a rank's own part is last.
// RUN: tilec %examples/05_matmul_all_scatter/matmul_all_scatter.mlir --world 4 --until=fuse | FileCheck %s
// CHECK: %rank = tile.rank
// CHECK: scf.for %ahead = %c1{{.*}} to %c5{{.*}} step
// CHECK-NEXT: %[[PLACE:.*]] = arith.addi %rank, %ahead : index
// CHECK-NEXT: %peer = arith.remui %[[PLACE]], %c4{{.*}} : index
// CHECK: tile.store %{{.*}} to %peer
