// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec run %s --world 3 --pattern specialized-push --launches 3 --extents-from 1,40,100 --shuffle --seed 7

// Two stores in one loop and branch: the first token dangled when the second rebuilt the loop.
tile.program @branch<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%c: %M, 64] {
  %s = tile.alloc [W * %M, 64] : memref<?x64xf32, #tile.symmetric>
  %rank = tile.rank
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %world = tile.world_size
  tile.forall (%m, %n) over %a tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    scf.for %p = %zero to %world step %one {
      %base = arith.muli %rank, %M : index
      %v = memref.subview %s[%base, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
      %me = arith.cmpi eq, %p, %rank : index
      scf.if %me {
        %u = arith.addf %t, %t : tensor<32x32xf32>
        tile.store %u, %v[%m, %n] to %p : tensor<32x32xf32>, memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
      } else {
        tile.store %t, %v[%m, %n] to %p : tensor<32x32xf32>, memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
      }
    }
  }
  tile.forall (%m, %n) over %c tiles [64, 64] : memref<?x64xf32> {
    %z = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
    %sum = scf.for %p = %zero to %world step %one iter_args(%acc = %z) -> tensor<64x64xf32> {
      %base = arith.muli %p, %M : index
      %v = memref.subview %s[%base, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
      %t = tile.load %v[%m, %n] tile [64, 64] : memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric> -> tensor<64x64xf32>
      %u = arith.addf %t, %acc : tensor<64x64xf32>
      scf.yield %u : tensor<64x64xf32>
    }
    tile.store %sum, %c[%m, %n] : tensor<64x64xf32>, memref<?x64xf32>
  }
}
