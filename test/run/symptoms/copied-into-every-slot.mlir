// RUN: tilec run %s --world 2 --pattern sequential-pull
// RUN: tilec run %s --world 2 --pattern specialized-push

// A copy whose destination has one dimension more than its source, read by tiles of all dimensions: forwarding it crashed.
tile.program @slots<%M>(%a: memref<?x64xf32>, %c: memref<?x?x64xf32>) extents [%a: %M, 64] [%c: W, %M, 64] {
  %s = tile.alloc [W, %M, 64] : memref<?x?x64xf32, #tile.symmetric>
  tile.forall (%b, %m, %n) in [W, %M ceildiv 16, 2] {
    %t = tile.load %a[%m, %n] tile [16, 32] : memref<?x64xf32> -> tensor<16x32xf32>
    tile.store %t, %s[%b, %m, %n] : tensor<16x32xf32>, memref<?x?x64xf32, #tile.symmetric>
  }
  tile.forall (%b, %m, %n) over %c tiles [2, 16, 16] : memref<?x?x64xf32> {
    %t = tile.load %s[%b, %m, %n] tile [2, 16, 16] : memref<?x?x64xf32, #tile.symmetric> -> tensor<2x16x16xf32>
    tile.store %t, %c[%b, %m, %n] : tensor<2x16x16xf32>, memref<?x?x64xf32>
  }
}
