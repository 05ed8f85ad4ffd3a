// RUN: for p in $(%some sequential-pull-two-shot bulk-push bulk-pull specialized-staged sequential-push specialized-push-two-shot); do \
// RUN:   tilec run %s --world 3 --pattern $p --launches 3 --extents-from 1,40,130 --shuffle --memory weak --race --skewed || exit 1; done

// Two views of the same rows are one buffer.
tile.program @in_place<%M>(%a: memref<?x64xf32, #tile.symmetric>) extents [%a: 2 * %M, 64] {
  %from = memref.subview %a[%M, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  %into = memref.subview %a[%M, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  tile.all_reduce %from into %into tiles [32, 32] : memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>, memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
}
