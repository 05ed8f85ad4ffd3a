// RUN: not tilec run %s --world 1 --extents-from 63,64 --launches 8 2>&1 | FileCheck %s
// RUN: tilec run %s --world 1 --extents-from 3,63 --launches 8

// The workspace is laid out for the greatest extents: with M = 63 the buffer was larger than there, and its neighbour
// was overwritten.
// CHECK: 'shrinks': scratch buffer 's' is larger for these extents than for the greatest ones
tile.program @shrinks<%M>(%x: memref<?xf32>, %out: memref<?xf32>) extents [%x: %M] [%out: %M] {
  %s = tile.alloc [%M mod 64] : memref<?xf32>
  tile.forall (%m) in [%M ceildiv 16] {
    %t = tile.load %x[%m] tile [16] : memref<?xf32> -> tensor<16xf32>
    tile.store %t, %s[%m] : tensor<16xf32>, memref<?xf32>
  }
  tile.forall (%m) in [%M ceildiv 64] {
    %t = tile.load %s[%m] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %out[%m] : tensor<64xf32>, memref<?xf32>
  }
}
