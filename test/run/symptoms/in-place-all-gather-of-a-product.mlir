// RUN: for p in $(%some bulk-pull bulk-push sequential-push specialized-push sequential-pull specialized-pull specialized-staged); do \
// RUN:   tilec run %s --world 3 --pattern $p --launches 3 --extents-from 1,40,100 --shuffle --memory weak --race --skewed || exit 1; done
// RUN: tilec run %s --world 1

// A product into this rank's part of scratch, columns side by side, gathered in place and read whole.
tile.program @in_place<%M, %N, %K>(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>)
    extents [%a: %M, %K] [%b: %K, %N] [%c: %M, W * %N] {
  %rank = tile.rank
  %at = arith.muli %rank, %N : index
  %full = tile.alloc [%M, W * %N] : memref<?x?xf32, #tile.symmetric>
  %mine = memref.subview %full[0, %at] [%M, %N] [1, 1] : memref<?x?xf32, #tile.symmetric> to memref<?x?xf32, strided<[?, 1], offset: ?>, #tile.symmetric>
  tile.matmul %a, %b into %mine tiles [32, 32, 32] : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32, strided<[?, 1], offset: ?>, #tile.symmetric>
  tile.all_gather %mine into %full dim 1 tiles [32, 32] : memref<?x?xf32, strided<[?, 1], offset: ?>, #tile.symmetric>, memref<?x?xf32, #tile.symmetric>
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x?xf32> {
    %t = tile.load %full[%m, %n] tile [32, 32] : memref<?x?xf32, #tile.symmetric> -> tensor<32x32xf32>
    tile.store %t, %c[%m, %n] : tensor<32x32xf32>, memref<?x?xf32>
  }
}
