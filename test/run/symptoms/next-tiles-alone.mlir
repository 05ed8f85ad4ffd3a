// RUN: tilec run %s --world 2 --extents-from 40,200 --launches 12 --race --memory weak --shuffle --skewed
// RUN: sed 's/constant 1 : index \/\/ ahead/constant 50 : index/' %s > %t.mlir
// RUN: tilec run %t.mlir --world 2 --extents-from 40,3300 --launches 12 --race --memory weak --shuffle --skewed

// Tasks that read the next tile alone wait for nothing where there is one tile, so that two copies cannot stand for a
// credit. With 1 the program was rejected; with 50, which no sample had as many tiles for, its results were wrong.
tile.program @next_tiles<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %x = tile.alloc [%M] : memref<?xf32, #tile.symmetric>
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.forall (%i) in [%M ceildiv 64] {
    %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %x[%i] to %peer : tensor<64xf32>, memref<?xf32, #tile.symmetric>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %ahead = arith.constant 1 : index // ahead
    %j = arith.addi %i, %ahead : index
    %t = tile.load %x[%j] tile [64] : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
    tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
  }
}
