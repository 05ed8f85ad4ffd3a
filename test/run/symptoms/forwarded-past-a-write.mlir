// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec verify %s --world 3 --pattern sequential-pull
// RUN: tilec run %s --world 3 --pattern sequential-pull --launches 3 --extents-from 1,40,100 --shuffle --seed 7
// RUN: tilec run %s --world 3 --pattern specialized-pull

// A gather must not be forwarded past a statement that writes its source: verify cannot see that the meaning changed.
tile.program @fwd_war2<%M>(%a: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%c: W * %M, 64] {
  %full = tile.alloc [W * %M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.all_gather %a into %full dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %a tiles [32, 32] : memref<?x64xf32, #tile.symmetric> {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %a[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.forall (%r, %m, %n) in [W, %M ceildiv 32, 2] {
    %base = arith.muli %r, %M : index
    %v = memref.subview %full[%base, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
    %w = memref.subview %c[%base, 0] [%M, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    %t = tile.load %v[%m, %n] tile [32, 32] : memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %w[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, strided<[64, 1], offset: ?>>
  }
}
