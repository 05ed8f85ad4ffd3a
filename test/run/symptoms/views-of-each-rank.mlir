// RUN: for p in $(%some specialized-push-two-shot bulk-pull bulk-push specialized-staged sequential-pull specialized-push sequential-pull-two-shot); do \
// RUN:   tilec run %s --world 3 --pattern $p --launches 2 --extents-from 1,40,130 --shuffle --memory weak --race || exit 1; done

// An end that is another view on each rank: a peer's copy was addressed where this rank's lies, and wrong rows were moved.
tile.program @each_its_own<%M>(%a: memref<?x64xf32, #tile.symmetric>, %g: memref<?x64xf32, #tile.symmetric>, %s: memref<?x64xf32, #tile.symmetric>,
    %r: memref<?x64xf32, #tile.symmetric>, %o: memref<?x64xf32, #tile.symmetric>)
    extents [%a: W * W * %M, 64] [%g: W * %M, 64] [%s: W * %M, 64] [%r: W * %M, 64] [%o: %M, 64] {
  %rank = tile.rank
  %at = arith.muli %rank, %M : index
  %from = memref.subview %a[%at, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  %into = memref.subview %s[%at, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  %sum = memref.subview %r[%at, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  %rows = tile.extent [W * %M]
  %far = arith.muli %rank, %rows : index
  %all = memref.subview %a[%far, 0] [%rows, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  tile.all_gather %from into %g dim 0 tiles [32, 64] : memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.shift %from into %into by 1 tiles [32, 64] : memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>, memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  tile.all_reduce %from into %sum tiles [32, 64] : memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>, memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  tile.reduce_scatter %all into %o dim 0 tiles [32, 64] : memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}
