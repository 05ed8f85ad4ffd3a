// How many workgroups must be resident grows with M: proven for the samples, it says nothing of larger extents, which
// would hang. The launch is refused; compiled for the extent, it is judged by the number that this one needs.
// RUN: tilec verify %s | FileCheck %s --check-prefix=SAMPLES
// RUN: tilec run %s --units 4 --extents-from 200,40,128,1 --launches 6
// RUN: not tilec run %s --units 4 --extents-from 2000 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not tilec run %s --units 4 --extents-from 2000 --workgroups 4 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: tilec verify %s --extent M=2000 | FileCheck %s --check-prefix=FIXED
// RUN: not tilec run %s --units 4 --extent M=2000 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: tilec run %s --units 17 --extent M=2000
// SAMPLES: progress resident 3
// REFUSED: cannot launch: kernel 'grow_k_kernel' needs 3 resident workgroups, which is proven for M=200; M=40; M=128; M=1, got M=2000; compile for these extents: tilec --extent M=2000
// FIXED: progress resident 17
// DEVICE: kernel 'grow_k_kernel' needs 17 resident workgroups, the device holds 4
tile.program @grow<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 1 extents [%a: %M] [%b: %M] {
  %sent = tile.signals [%M ceildiv 64] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %more = arith.constant 63 : index
  %size = arith.constant 64 : index
  %padded = arith.addi %M, %more : index
  %tiles = arith.divui %padded, %size : index
  %one = arith.constant 1 : index
  %last = arith.subi %tiles, %one : index
  tile.kernel @k {
    tile.role @meet {
      tile.forall (%i) in [%M ceildiv 64] {
        %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
        tile.signal agent %sent[%i] to %zero : !tile.signals<1>
        %opposite = arith.subi %last, %i : index
        %met = tile.wait agent %sent[%opposite] : !tile.signals<1>
      }
    }
  }
}
