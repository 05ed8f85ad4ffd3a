// RUN: for p in $(%some specialized-push bulk-push bulk-pull sequential-pull bulk-staged sequential-push specialized-pull specialized-staged); do \
// RUN:   tilec run %s --world 3 --pattern $p --launches 3 --extents-from 1,40,130 --shuffle --memory weak --race --skewed || exit 1; done
// RUN: tilec run %s --world 1
// RUN: tilec run %s --world 4 --launches 2

// The destination is this rank's part of the source, as in the in-place form of NCCL.
tile.program @in_place<%M>(%all: memref<?x64xf32, #tile.symmetric>) extents [%all: W * %M, 64] {
  %rank = tile.rank
  %at = arith.muli %rank, %M : index
  %mine = memref.subview %all[%at, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  tile.reduce_scatter %all into %mine dim 0 tiles [32, 32] : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
}
