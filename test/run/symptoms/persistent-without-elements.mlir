// RUN: tilec run %s --world 3 --pattern bulk --extent M=0
// RUN: tilec run %s --world 3 --pattern bulk --launches 4 --extents-from 0,40 --seed 3

// Scratch without a byte was waited for to be zeroed: nobody can, and nobody has to.
tile.program @persistent_without_elements<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%c: %M, 64] {
  %s = tile.alloc persistent [%M, 64] : memref<?x64xf32>
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = tile.load %s[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %v = arith.addf %t, %u : tensor<32x32xf32>
    tile.store %v, %s[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
    tile.store %v, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}
