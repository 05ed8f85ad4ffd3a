// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push

// Two writers interleave rows, two readers take them together or apart.
tile.program @strided<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>, %d: memref<?x64xf32>) extents [%a: %M, 64] [%c: %M, 64] [%d: %M, 64] {
  %s = tile.alloc [%M * 2, 64] : memref<?x64xf32>
  %even = memref.subview %s[0, 0] [%M, 64] [2, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[128, 1]>>
  %odd = memref.subview %s[1, 0] [%M, 64] [2, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[128, 1], offset: 64>>
  tile.forall (%m, %n) over %a tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    tile.store %t, %even[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, strided<[128, 1]>>
  }
  tile.forall (%m, %n) over %a tiles [16, 64] : memref<?x64xf32> {
    %t = tile.load %a[%m, %n] tile [16, 64] : memref<?x64xf32> -> tensor<16x64xf32>
    %u = arith.addf %t, %t : tensor<16x64xf32>
    tile.store %u, %odd[%m, %n] : tensor<16x64xf32>, memref<?x64xf32, strided<[128, 1], offset: 64>>
  }
  tile.forall (%m, %n) over %c tiles [64, 16] : memref<?x64xf32> {
    %t = tile.load %s[%m, %n] tile [64, 16] : memref<?x64xf32> -> tensor<64x16xf32>
    tile.store %t, %c[%m, %n] : tensor<64x16xf32>, memref<?x64xf32>
  }
  tile.forall (%m, %n) over %d tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %odd[%m, %n] tile [32, 32] : memref<?x64xf32, strided<[128, 1], offset: 64>> -> tensor<32x32xf32>
    %u = tile.load %even[%m, %n] tile [32, 32] : memref<?x64xf32, strided<[128, 1]>> -> tensor<32x32xf32>
    %v = arith.addf %t, %u : tensor<32x32xf32>
    tile.store %v, %d[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}
