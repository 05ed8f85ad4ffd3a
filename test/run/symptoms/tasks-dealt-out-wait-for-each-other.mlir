// RUN: not tilec verify %s 2>&1 | FileCheck %s
// RUN: not tilec %s -o %t 2>&1 | FileCheck %s
// CHECK: error: waits for a task that another workgroup may have behind this one
// CHECK: note: the signal is here

// `verify` claimed progress `any` for tasks that are dealt out by number, and only compiling refused them.
tile.program @s2<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 2 extents [%a: %M] [%b: %M] {
  %x = tile.alloc [%M] {copies = 2} : memref<?xf32, #tile.symmetric>
  %done = tile.signals [%M ceildiv 64] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.kernel @k attributes {dealing = #tile<dealing strided>} {
    tile.role @r {
      tile.forall (%i) in [%M ceildiv 64] {
        %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
        %s = tile.store %t, %x[%i] to %peer : tensor<64xf32>, memref<?xf32, #tile.symmetric> -> !tile.token
        tile.signal system %done[%i] to %peer publishes %s : !tile.signals<1>
        %i1 = arith.subi %i, %one : index
        %j = arith.maxsi %i1, %zero : index
        %w = tile.wait system %done[%j] : !tile.signals<1>
        %u = tile.load %x[%j] tile [64] after %w : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
        tile.store %u, %b[%i] : tensor<64xf32>, memref<?xf32>
      }
    }
  }
}
