// RUN: tilec run %s --world 2 --pattern sequential-pull
// RUN: tilec run %s --world 2 --pattern sequential-push
// RUN: tilec run %s --world 2 --pattern specialized-pull

// Copies that fill in zeros at an edge, at an offset or from a smaller buffer: another view of the source cannot stand for
// the destination, nor one of the destination for the source.
tile.program @edges<%M>(%a: memref<?x64xi32>, %c: memref<?x64xi32>, %d: memref<?x64xi32, #tile.symmetric>, %e: memref<?x64xi32>)
    extents [%a: %M, 64] [%c: %M, 64] [%d: %M + 8, 64] [%e: %M + 8, 64] {
  %moved = tile.alloc [%M, 64] : memref<?x64xi32>
  %doubled = tile.alloc [%M, 64] : memref<?x64xi32, #tile.symmetric>
  %longer = tile.alloc [%M + 8, 64] : memref<?x64xi32>
  %s17 = arith.constant 17 : index
  %s32 = arith.constant 32 : index
  %rank = tile.rank
  %world = tile.world_size
  %one = arith.constant 1 : index
  %last = arith.subi %world, %one : index
  %peer = arith.subi %last, %rank : index
  // forwarded to the reader
  tile.forall (%m, %n) over %moved tiles [32, 32] : memref<?x64xi32> {
    %row = arith.muli %m, %s32 : index
    %from = arith.subi %row, %s17 : index
    %col = arith.muli %n, %s32 : index
    %t = tile.load %a at (%from, %col) tile [32, 32] : memref<?x64xi32> -> tensor<32x32xi32>
    tile.store %t, %moved[%m, %n] : tensor<32x32xi32>, memref<?x64xi32>
  }
  tile.forall (%m, %n) over %longer tiles [32, 32] : memref<?x64xi32> {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xi32> -> tensor<32x32xi32>
    tile.store %t, %longer[%m, %n] : tensor<32x32xi32>, memref<?x64xi32>
  }
  tile.forall (%m, %n) over %c tiles [64, 16] : memref<?x64xi32> {
    %t = tile.load %moved[%m, %n] tile [64, 16] : memref<?x64xi32> -> tensor<64x16xi32>
    tile.store %t, %c[%m, %n] : tensor<64x16xi32>, memref<?x64xi32>
  }
  tile.forall (%m, %n) over %e tiles [64, 16] : memref<?x64xi32> {
    %t = tile.load %longer[%m, %n] tile [64, 16] : memref<?x64xi32> -> tensor<64x16xi32>
    %u = arith.addi %t, %t : tensor<64x16xi32>
    tile.store %u, %e[%m, %n] : tensor<64x16xi32>, memref<?x64xi32>
  }
  // sunk into the writer
  tile.forall (%m, %n) over %a tiles [32, 32] : memref<?x64xi32> {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xi32> -> tensor<32x32xi32>
    %u = arith.addi %t, %t : tensor<32x32xi32>
    tile.store %u, %doubled[%m, %n] : tensor<32x32xi32>, memref<?x64xi32, #tile.symmetric>
  }
  tile.forall (%m, %n) over %d tiles [32, 32] : memref<?x64xi32, #tile.symmetric> {
    %t = tile.load %doubled[%m, %n] tile [32, 32] : memref<?x64xi32, #tile.symmetric> -> tensor<32x32xi32>
    tile.store %t, %d[%m, %n] to %peer : tensor<32x32xi32>, memref<?x64xi32, #tile.symmetric>
  }
}
