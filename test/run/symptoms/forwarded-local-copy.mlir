// RUN: tilec verify %s --world 3 --pattern sequential-pull
// RUN: tilec run %s --world 1 --pattern sequential-pull

// A copy on one rank is forwarded: there is no rank to load from, which crashed.
tile.program @forwarded_local_copy<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%c: %M, 64] {
  %s = tile.alloc [%M, 64] : memref<?x64xf32>
  tile.forall (%m, %n) over %a tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    tile.store %t, %s[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %s[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}
