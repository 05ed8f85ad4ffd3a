// RUN: not tilec verify %s 2>&1 | FileCheck %s
// RUN: not tilec run %s --extents-from 5200 --race --launches 2 2>&1 | FileCheck %s
// CHECK: error: data race: write of element [0] of '%x' on rank 0{{.*}}, with M=5{{[0-9]+}}

// Tasks that only extents above 5000 have were no part of any sample.
tile.program @d<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 3 extents [%a: %M] [%b: %M] {
  %x = tile.alloc [%M] : memref<?xf32, #tile.symmetric>
  %sent = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %rank = tile.rank
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [(%M - 5000) ceildiv 64] {
        %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
        tile.store %t, %x[%i] to %zero : tensor<64xf32>, memref<?xf32, #tile.symmetric>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
      }
    }
    tile.role @l last { tile.signal agent %sent[%zero] to %rank : !tile.signals<1> }
  }
}
