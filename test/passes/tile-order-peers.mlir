// A loop over peers whose tasks wait for those of the peer before began with its own rank, where the tasks that it waits for come last: 13 workgroups had
// to be resident, and launches with other extents than the samples were refused.
// RUN: tilec verify %s | FileCheck %s
// CHECK: progress any; launches up to M=200 alone
// RUN: tilec run %s --extent M=200 --resident 1 --units 1
// Tasks that wait for others of the same peer begin with their own rank.
// RUN: sed 's/sent.%%before, %%i. :/sent[%%p, %%before] :/; s/sgt, %%p/sgt, %%i/; s/subi %%p/subi %%i/' %s > %t.mlir && tilec %t.mlir --until=order | FileCheck %s --check-prefix=OWN
// OWN: tile.forall (%p, %i) in [4, %M ceildiv 64] order [#tile.rank_first<0>]
// RUN: tilec verify %t.mlir | FileCheck %s
tile.program @chain<%M>(%a: memref<?xf32>, %b: memref<?x?xf32, #tile.symmetric>) world 4 extents [%a: %M] [%b: W, %M] {
  %sent = tile.signals [W, %M ceildiv 64] : !tile.signals<2>
  %entered = tile.signals [W] : !tile.signals<1>
  %done = tile.signals [W] : !tile.signals<1>
  %rank = tile.rank
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %world = arith.constant 4 : index
  tile.kernel @k {
    tile.role @enter first {
      scf.for %peer = %zero to %world step %one {
        tile.signal system %entered[%rank] to %peer : !tile.signals<1>
      }
    }
    tile.role @copy {
      %all = tile.wait system %entered[%zero] count[%world] : !tile.signals<1>
      tile.forall (%p, %i) in [W, %M ceildiv 64] {
        %isLater = arith.cmpi sgt, %p, %zero : index
        %before = arith.subi %p, %one : index
        scf.if %isLater {
          %w = tile.wait agent %sent[%before, %i] : !tile.signals<2>
        }
        %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
        %v = memref.subview %b[%rank, 0] [1, %M] [1, 1] : memref<?x?xf32, #tile.symmetric> to memref<?xf32, strided<[1], offset: ?>, #tile.symmetric>
        tile.store %t, %v[%i] to %p after %all : tensor<64xf32>, memref<?xf32, strided<[1], offset: ?>, #tile.symmetric>
        tile.signal agent %sent[%p, %i] to %rank : !tile.signals<2>
      }
    }
    tile.role @leave last {
      scf.for %peer = %zero to %world step %one {
        tile.signal system %done[%rank] to %peer : !tile.signals<1>
      }
      %over = tile.wait system %done[%zero] count[%world] : !tile.signals<1>
    }
  }
}
