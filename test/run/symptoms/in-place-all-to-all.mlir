// RUN: for p in $(%some bulk-staged bulk-push bulk-pull specialized-pull sequential-push sequential-pull specialized-push specialized-staged); do \
// RUN:   tilec run %s --world 3 --pattern $p --launches 3 --extents-from 1,40,70 --shuffle --memory weak --race --skewed || exit 1; done
// RUN: tilec run %s --world 1
// RUN: tilec run %s --world 4 --launches 2

// 'source and destination are one buffer': blocks now pass through scratch, as a peer may still want what lies where they belong.
tile.program @in_place<%M>(%x: memref<?x48xf32, #tile.symmetric>) extents [%x: W * %M, 48] {
  tile.all_to_all %x into %x dim 0 tiles [32, 32] : memref<?x48xf32, #tile.symmetric>, memref<?x48xf32, #tile.symmetric>
}
