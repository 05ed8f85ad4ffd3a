// RUN: tilec verify %s --world 1 --extent M=40
// RUN: tilec run %s --world 1 --extents-from 40,200 --launches 4
// RUN: tilec run %s --world 1 --extents-from 40,200 --launches 4 --pattern specialized

// Two sizes of a grid below zero made tasks of their product; one took as many from the loop that shares its queue.
tile.program @below<%M>(%a: memref<?xi32>, %b: memref<256x256xf32>, %c: memref<256xf32>, %d: memref<256x64xf32>) extents [%a: %M] [%b: 256, 256] [%c: 256] [%d: 256, 64] {
  tile.forall (%i, %j) in [%M - 42, %M - 42] {
    %v = tile.splat 2.0 [64, 64] : tensor<64x64xf32>
    tile.store %v, %b[%i, %j] : tensor<64x64xf32>, memref<256x256xf32>
  }
  tile.forall (%i) in [%M - 42] {
    %z = arith.constant 0 : index
    %v = tile.splat 3.0 [1, 64] : tensor<1x64xf32>
    tile.store %v, %d[%i, %z] : tensor<1x64xf32>, memref<256x64xf32>
  }
  tile.forall (%i) in [4] {
    %v = tile.splat 1.0 [64] : tensor<64xf32>
    tile.store %v, %c[%i] : tensor<64xf32>, memref<256xf32>
  }
}
