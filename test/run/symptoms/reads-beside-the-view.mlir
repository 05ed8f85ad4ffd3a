// RUN: tilec verify %s --world 2 --pattern sequential-push
// RUN: tilec run %s --world 2 --pattern sequential-push --extents-from 40,72,1 --launches 4 --shuffle --seeds 2 --race --memory weak --skewed

// Tasks that read beside the buffer wait for nobody: their writes were taken to come after every rank's launch before.
tile.program @beside<%N, %K>(%x: memref<?x?xf32>, %out: memref<?x?x?xf32>) extents [%x: %N, %K] [%out: W, %N, %N] {
  %s = tile.alloc [W * %N, %K] : memref<?x?xf32, #tile.symmetric>
  %sums = tile.alloc [W, %N, %N] : memref<?x?x?xf32, #tile.symmetric>
  %rank = tile.rank
  %rows = tile.extent [%N]
  %base = arith.muli %rank, %rows : index
  %view = memref.subview %s[%base, 0] [%N, %K] [1, 1] : memref<?x?xf32, #tile.symmetric> to memref<?x?xf32, strided<[?, 1], offset: ?>, #tile.symmetric>
  tile.forall (%p, %m, %n) in [W, %N ceildiv 16, %K ceildiv 16] {
    %t = tile.load %x[%m, %n] tile [16, 16] : memref<?x?xf32> -> tensor<16x16xf32>
    tile.store %t, %view[%m, %n] to %p : tensor<16x16xf32>, memref<?x?xf32, strided<[?, 1], offset: ?>, #tile.symmetric>
  }
  tile.forall (%p2, %m3, %n2) in [W, %N ceildiv 8, %N ceildiv 64] {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %row = arith.muli %m3, %c8 : index
    %at = arith.addi %row, %c1 : index
    %at2 = arith.muli %n2, %c64 : index
    %t2 = tile.load %s at (%at, %at2) tile [8, 64] : memref<?x?xf32, #tile.symmetric> -> tensor<8x64xf32>
    tile.store %t2, %sums[%rank, %m3, %n2] to %p2 : tensor<8x64xf32>, memref<?x?x?xf32, #tile.symmetric>
  }
  tile.forall (%m5, %n3, %l) in [W, %N ceildiv 16, %N ceildiv 8] {
    %t6 = tile.load %sums[%m5, %n3, %l] tile [1, 16, 8] : memref<?x?x?xf32, #tile.symmetric> -> tensor<1x16x8xf32>
    tile.store %t6, %out[%m5, %n3, %l] : tensor<1x16x8xf32>, memref<?x?x?xf32>
  }
}
