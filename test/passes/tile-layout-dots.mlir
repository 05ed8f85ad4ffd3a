// Dots whose types or shapes no matrix instruction takes run on the vector units: a thread owns sums, and holds their
// rows of A and columns of B for every k.
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=gfx942},tile-layout))' | FileCheck %s
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=gfx950},tile-layout))' | FileCheck %s --check-prefixes=CHECK,WIDE

// CHECK-DAG: #[[SUMS:layout[0-9]*]] = #tile.layout<registers = {{\[\[}}0, 1], [0, 2], [16, 0], [32, 0]], lanes = {{\[\[}}0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], waves = {{\[\[}}0, 32], [8, 0]]>
// CHECK-DAG: #[[ROWS:layout[0-9]*]] = #tile.layout<registers = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [16, 0], [32, 0]], lanes = {{\[\[}}0, 0], [0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], waves = {{\[\[}}0, 0], [8, 0]]>
// CHECK-DAG: #[[COLUMNS:layout[0-9]*]] = #tile.layout<registers = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], lanes = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 0], [0, 0], [0, 0]], waves = {{\[\[}}0, 32], [0, 0]]>
tile.program @dots<%M>(%i: memref<?x64xi32>, %b: memref<?x64xi8>, %d: memref<?x64xf64>, %h: memref<?x64xbf16>, %o: memref<?x64xi32>, %e: memref<?x64xf64>, %f: memref<?x64xf32>) world 1 extents [%i: %M, 64] [%b: %M, 64] [%d: %M, 64] [%h: %M, 64] [%o: %M, 64] [%e: %M, 64] [%f: %M, 64] {
  tile.kernel @dots {
    tile.role @tiles {
      %c0 = arith.constant 0 : index
      %whole = tile.splat 0 [64, 64] : tensor<64x64xi32>
      %ia = tile.load %i[%c0, %c0] tile [64, 16] : memref<?x64xi32> -> tensor<64x16xi32>
      %ib = tile.load %i[%c0, %c0] tile [16, 64] : memref<?x64xi32> -> tensor<16x64xi32>
      // CHECK: tile.dot {{.*}} : tensor<64x16xi32, #[[ROWS]]>, tensor<16x64xi32, #[[COLUMNS]]>, tensor<64x64xi32, #[[SUMS]]>
      %id = tile.dot %ia, %ib, %whole : tensor<64x16xi32>, tensor<16x64xi32>, tensor<64x64xi32>
      tile.store %id, %o[%c0, %c0] : tensor<64x64xi32>, memref<?x64xi32>
      %ba = tile.load %b[%c0, %c0] tile [64, 64] : memref<?x64xi8> -> tensor<64x64xi8>
      // CHECK: tile.dot {{.*}}instruction = "Mfma
      // WIDE-SAME: 32x32x32"
      %bd = tile.dot %ba, transpose %ba, %whole : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
      tile.store %bd, %o[%c0, %c0] : tensor<64x64xi32>, memref<?x64xi32>
      %double = tile.splat 0.0 [64, 64] : tensor<64x64xf64>
      %da = tile.load %d[%c0, %c0] tile [64, 64] : memref<?x64xf64> -> tensor<64x64xf64>
      // CHECK: tile.dot {{.*}}instruction = "Mfma16x16x4"
      %dd = tile.dot %da, transpose %da, %double : tensor<64x64xf64>, tensor<64x64xf64>, tensor<64x64xf64>
      tile.store %dd, %e[%c0, %c0] : tensor<64x64xf64>, memref<?x64xf64>
      %zero = tile.splat 0.0 [8, 64] : tensor<8x64xf32>
      %ha = tile.load %h[%c0, %c0] tile [8, 64] : memref<?x64xbf16> -> tensor<8x64xbf16>
      %hb = tile.load %h[%c0, %c0] tile [64, 64] : memref<?x64xbf16> -> tensor<64x64xbf16>
      // CHECK: tile.dot
      // CHECK-NOT: instruction
      %hd = tile.dot %ha, transpose %hb, %zero : tensor<8x64xbf16>, tensor<64x64xbf16>, tensor<8x64xf32>
      tile.store %hd, %f[%c0, %c0] : tensor<8x64xf32>, memref<?x64xf32>
    }
  }
}
