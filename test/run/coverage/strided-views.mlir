// RUN: tilec run %s --world 1 --extent M=37 --extent P=50
// RUN: tilec run %s --world 3 --extent M=21 --extent P=64 --pattern specialized-push --shuffle --seed 3

// Views that step over rows, over columns, over both, by a step that is known at launch, of views that step; a dimension
// that is dropped; a pitch that is an extent.
tile.program @steps<%M, %P>(%a: memref<?x64xf32>, %wide: memref<?x?xf32>, %c: memref<?x16xf32>, %d: memref<?x64xbf16>, %e: memref<?x32xf32>, %b: memref<?x64xbf16>)
    extents [%a: 4 * %M, 64] [%wide: %M, %P] [%c: %M, 16] [%d: 2 * %M, 64] [%e: %M, 32] [%b: %M, 64] {
  %M_ = tile.extent [%M]
  %rank = tile.rank
  %c1 = arith.constant 1 : index
  %step = tile.extent [2 * W]
  %columns = memref.subview %a[1, 2] [%M, 16] [4, 3] : memref<?x64xf32> to memref<?x16xf32, strided<[256, 3], offset: 66>>
  %odd = memref.subview %d[1, 0] [%M, 64] [2, 1] : memref<?x64xbf16> to memref<?x64xbf16, strided<[128, 1], offset: 64>>
  %even = memref.subview %d[0, 0] [%M, 64] [2, 1] : memref<?x64xbf16> to memref<?x64xbf16, strided<[128, 1]>>
  %backs = memref.subview %odd[0, 0] [%M, 32] [1, 2] : memref<?x64xbf16, strided<[128, 1], offset: 64>> to memref<?x32xbf16, strided<[128, 2], offset: 64>>
  tile.forall (%m) in [%M ceildiv 16] {
    %c0 = arith.constant 0 : index
    %t = tile.load %columns[%m, %c0] tile [16, 16] : memref<?x16xf32, strided<[256, 3], offset: 66>> -> tensor<16x16xf32>
    tile.store %t, %c[%m, %c0] : tensor<16x16xf32>, memref<?x16xf32>
  }
  tile.forall (%m) in [%M ceildiv 16] {
    %c0 = arith.constant 0 : index
    %t = tile.load %b[%m, %c0] tile [16, 64] : memref<?x64xbf16> -> tensor<16x64xbf16>
    %u = arith.addf %t, %t : tensor<16x64xbf16>
    tile.store %t, %odd[%m, %c0] : tensor<16x64xbf16>, memref<?x64xbf16, strided<[128, 1], offset: 64>>
    tile.store %u, %even[%m, %c0] : tensor<16x64xbf16>, memref<?x64xbf16, strided<[128, 1]>>
  }
  tile.forall (%m) in [%M ceildiv 16] {
    %c0 = arith.constant 0 : index
    %t = tile.load %backs[%m, %c0] tile [16, 32] : memref<?x32xbf16, strided<[128, 2], offset: 64>> -> tensor<16x32xbf16>
    %u = arith.extf %t : tensor<16x32xbf16> to tensor<16x32xf32>
    %v = tile.load %wide[%m, %c0] tile [16, 32] : memref<?x?xf32> -> tensor<16x32xf32>
    %w = arith.addf %u, %v : tensor<16x32xf32>
    tile.store %w, %e[%m, %c0] : tensor<16x32xf32>, memref<?x32xf32>
  }
}
