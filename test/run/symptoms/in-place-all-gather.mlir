// RUN: for p in $(%some bulk-push bulk-pull bulk-staged sequential-pull sequential-push sequential-staged specialized-staged specialized-push specialized-pull); do \
// RUN:   tilec run %s --world 3 --pattern $p --launches 3 --extents-from 1,40,130 --shuffle --memory weak --race --skewed || exit 1; done
// RUN: tilec run %s --world 1
// RUN: tilec run %s --world 4 --launches 2
// RUN: tilec run %s --world 2 --launches 2 --pattern bulk-push-credits
// RUN: tilec %s --world 3 --pattern sequential-push --emit=hip | FileCheck %s

// 'data race' in every pattern: the source is this rank's part of the destination, as in the in-place form of NCCL. A rank copies to
// its peers, and not onto itself.
// CHECK: const bool is_other = peer{{[_0-9]*}} != rank;
// CHECK: if (is_other)
tile.program @in_place<%M>(%full: memref<?x64xf32, #tile.symmetric>, %b: memref<?x64xf32>)
    extents [%full: W * %M, 64] [%b: W * %M, 64] {
  %rank = tile.rank
  %at = arith.muli %rank, %M : index
  %mine = memref.subview %full[%at, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  tile.all_gather %mine into %full dim 0 : memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %b tiles [32, 64] : memref<?x64xf32> {
    %t = tile.load %full[%m, %n] tile [32, 64] : memref<?x64xf32, #tile.symmetric> -> tensor<32x64xf32>
    tile.store %t, %b[%m, %n] : tensor<32x64xf32>, memref<?x64xf32>
  }
}
