// RUN: not tilec verify %s 2>&1 | FileCheck %s
// RUN: not tilec %s -o %t 2>&1 | FileCheck %s
// RUN: tilec %s --no-verify -o %t
// CHECK: warning: not verified for M=200: a launch has more than 25000000 scalar steps, not counting 64 for each access
// CHECK: error: not verified: no sample of the extents could be checked

// A scalar loop of two thousand million passes kept `verify` busy for minutes.
tile.program @big<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 2 extents [%a: %M] [%b: %M] {
  tile.forall (%i) in [%M ceildiv 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 2000000000 : index
    %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %c0) -> (index) {
      %y = arith.addi %x, %c1 : index
      scf.yield %y : index
    }
    %z = arith.remui %r, %c1 : index
    %w = arith.addi %i, %z : index
    tile.store %t, %b[%w] : tensor<64xf32>, memref<?xf32>
  }
}
