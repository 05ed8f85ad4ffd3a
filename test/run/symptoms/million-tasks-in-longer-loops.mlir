// RUN: not tilec %s --world 5 --pattern bulk-pull --extent N=2100,L=2100 --emit=hip 2>&1 | FileCheck %s
// CHECK: warning: not verified: a launch has more than 1000000 tasks
// CHECK: error: not verified: no sample of the extents could be checked

// With extents of 2100 there are more tasks than are traced: it crashed.
tile.program @p<%L, %N>(%y: memref<?x?x?xf32, #tile.symmetric>, %x: memref<?x?xf32>, %x2: memref<?x?x?xf32>, %x3: memref<1x?xf32>, %x4: memref<1xf32>, %x5: memref<?xf32>, %out: memref<1x1xf32>, %out2: memref<?x?xf32>) extents [%y: W, %N, %L] [%x: %N, %L] [%x2: W, %N, %L] [%x3: 1, 2 * %L + 1] [%x5: 2 * %L + 1] [%out2: %L, 2 * %L + 1] {
  tile.param @B0 in [16, 32]
  %s = tile.alloc [1, 1] : memref<1x1xf32>
  %s2 = tile.alloc [%L, 2 * %L + 1] : memref<?x?xf32, #tile.symmetric>
  %float = tile.rank
  %size = tile.extent [(2 * %L + 1) ceildiv 128]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.forall (%p, %m, %n) in [W, %N ceildiv 32, %L ceildiv 16] {
    %main = tile.load %x[%m, %n] tile [32, 16] : memref<?x?xf32> -> tensor<32x16xf32>
    %t = tile.load %x2[%float, %m, %n] tile [32, 16] : memref<?x?x?xf32> -> tensor<32x16xf32>
    %tilec = arith.cmpf ole, %main, %t : tensor<32x16xf32>
    %chosen = arith.select %tilec, %t, %main : tensor<32x16xi1>, tensor<32x16xf32>
    tile.store %chosen, %y[%float, %m, %n] to %p : tensor<32x16xf32>, memref<?x?x?xf32, #tile.symmetric>
  }
  tile.forall (%m2, %n2) over %s tiles [8, 16] : memref<1x1xf32> {
    %filled = tile.splat 0.0 [8] : tensor<8xf32>
    %total = scf.for %k = %c0 to %size step %c1 iter_args(%sum = %filled) -> tensor<8xf32> {
      %t2 = tile.load %x3[%m2, %k] tile [8, 128] : memref<1x?xf32> -> tensor<8x128xf32>
      %part = tile.reduce maximum %t2 dim 1 : tensor<8x128xf32> -> tensor<8xf32>
      %t3 = arith.maximumf %sum, %part : tensor<8xf32>
      scf.yield %t3 : tensor<8xf32>
    }
    %wide = tile.broadcast %total dims [0] tile [8, 16] : tensor<8xf32> -> tensor<8x16xf32>
    %t4 = tile.load %x4[%n2] tile [16] : memref<1xf32> -> tensor<16xf32>
    %wide2 = tile.broadcast %t4 dims [1] tile [8, 16] : tensor<16xf32> -> tensor<8x16xf32>
    %u = math.absf %wide2 : tensor<8x16xf32>
    %filled2 = tile.splat 1.0 [8, 16] : tensor<8x16xf32>
    %t5 = arith.addf %u, %filled2 : tensor<8x16xf32>
    %u2 = math.rsqrt %t5 : tensor<8x16xf32>
    %t6 = arith.minimumf %wide, %u2 : tensor<8x16xf32>
    tile.store %t6, %s[%m2, %n2] : tensor<8x16xf32>, memref<1x1xf32>
  }
  tile.forall (%m3, %n3) over %s2 tiles [32, 16] : memref<?x?xf32, #tile.symmetric> {
    %struct = tile.splat -2.0 [32, 16] : tensor<32x16xf32>
    tile.store %struct, %s2[%m3, %n3] : tensor<32x16xf32>, memref<?x?xf32, #tile.symmetric>
  }
  tile.forall (%p2, %m4, %n4) in [3, %L ceildiv 8, (2 * %L + 1) ceildiv 16] {
    %filled3 = tile.splat 0.0 [8, 16] : tensor<8x16xf32>
    %t7 = tile.load %x5[%n4] tile [16] : memref<?xf32> -> tensor<16xf32>
    %lhs = tile.broadcast %t7 dims [1] tile [8, 16] : tensor<16xf32> -> tensor<8x16xf32>
    %t8 = arith.mulf %filled3, %lhs : tensor<8x16xf32>
    tile.atomic add %t8, %s2[%m4, %n4] : tensor<8x16xf32>, memref<?x?xf32, #tile.symmetric>
  }
  tile.forall (%m5, %n5) over %out tiles [32, 16] : memref<1x1xf32> {
    %t9 = tile.load %s[%m5, %n5] tile [32, 16] : memref<1x1xf32> -> tensor<32x16xf32>
    tile.store %t9, %out[%m5, %n5] : tensor<32x16xf32>, memref<1x1xf32>
  }
  tile.forall (%m6, %n6) over %out2 tiles [@B0, 8] : memref<?x?xf32> {
    %t10 = tile.load %s2[%m6, %n6] tile [@B0, 8] : memref<?x?xf32, #tile.symmetric> -> tensor<?x8xf32>
    tile.store %t10, %out2[%m6, %n6] : tensor<?x8xf32>, memref<?x?xf32>
  }
}
