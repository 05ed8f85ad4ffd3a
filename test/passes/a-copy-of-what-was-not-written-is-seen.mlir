// A statement that stores some of a buffer, which a later one copies whole: the copy read what was never written, and was fused away with the error.
// RUN: not tilec verify %s 2>&1 | FileCheck %s
// CHECK: error: reads element [128, 0] of '%t' on rank 0, by task (2) of role @copy_2 on rank 0, which no store of the launch writes, with M=200
tile.program @half<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) extents [%a: %M, 64] [%b: %M, 64] {
  %t = tile.alloc [%M, 64] : memref<?x64xf32>
  tile.forall (%i) in [%M ceildiv 64] {
    %most = arith.constant 2 : index
    %zero = arith.constant 0 : index
    %few = arith.cmpi slt, %i, %most : index
    scf.if %few {
      %x = tile.load %a[%i, %zero] tile [64, 64] : memref<?x64xf32> -> tensor<64x64xf32>
      tile.store %x, %t[%i, %zero] : tensor<64x64xf32>, memref<?x64xf32>
    }
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %zero = arith.constant 0 : index
    %x = tile.load %t[%i, %zero] tile [64, 64] : memref<?x64xf32> -> tensor<64x64xf32>
    tile.store %x, %b[%i, %zero] : tensor<64x64xf32>, memref<?x64xf32>
  }
}
