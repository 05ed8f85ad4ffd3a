// Two products with element by element work and reductions between them, as in attention: the sums of the first are the left operand
// of the second where they are. Only what is loaded is converted; no reduction crosses waves.
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=gfx942},tile-layout))' | FileCheck %s --check-prefixes=CHECK,OLD
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=gfx950},tile-layout))' | FileCheck %s --check-prefixes=CHECK,NEW

// Waves share no row, the lanes of a row hold runs of four columns.
// CHECK-DAG: #[[SUMS:layout[0-9]*]] = #tile.layout<registers = {{\[\[}}0, 1], [0, 2], [0, 8], [0, 16], [0, 32]], lanes = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], waves = {{\[\[}}32, 0], [64, 0]]>
// The right operand takes k in the same order.
// CHECK-DAG: #[[VALUES:layout[0-9]*]] = #tile.layout<registers = {{\[\[}}1, 0], [2, 0], [8, 0], [16, 0], [32, 0], [0, 32], [0, 64]], lanes = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0]], waves = {{\[\[}}0, 0], [0, 0]]>
// CHECK-LABEL: tile.program @chained
// CHECK-COUNT-1: tile.convert {{.*}} : tensor<128x128xbf16
// CHECK: scf.for
// CHECK-COUNT-1: tile.convert {{.*}} : tensor<64x128xbf16
// OLD: tile.dot {{.*}} {instruction = "Mfma32x32x8"} {{.*}} tensor<128x64xf32, #[[SUMS]]>
// NEW: tile.dot {{.*}} {instruction = "Mfma32x32x16"} {{.*}} tensor<128x64xf32, #[[SUMS]]>
// CHECK-NOT: tile.convert {{.*}}tensor<128x64
// CHECK: tile.dot {{.*}} : tensor<128x64xbf16, #[[SUMS]]>, tensor<64x128xbf16, #[[VALUES]]>
// CHECK-NOT: tile.convert {{.*}}tensor<128
tile.program @chained<%T>(%q: memref<?x128xbf16>, %k: memref<?x128xbf16>, %v: memref<?x128xbf16>, %o: memref<?x128xf32>)
    world 1 extents [%q: %T, 128] [%k: %T, 128] [%v: %T, 128] [%o: %T, 128] {
  %blocks = tile.extent [%T ceildiv 64]
  tile.kernel @chained {
    tile.role @tiles {
      tile.forall (%m) in [%T ceildiv 128] {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %qt = tile.load %q[%m, %c0] tile [128, 128] : memref<?x128xbf16> -> tensor<128x128xbf16>
        %none = tile.splat 0.0 [128, 64] : tensor<128x64xf32>
        %low = tile.splat 0.0 [128] : tensor<128xf32>
        %nothing = tile.splat 0.0 [128, 128] : tensor<128x128xf32>
        %max, %acc = scf.for %n = %c0 to %blocks step %c1 iter_args(%m0 = %low, %a0 = %nothing) -> (tensor<128xf32>, tensor<128x128xf32>) {
          %kt = tile.load %k[%n, %c0] tile [64, 128] : memref<?x128xbf16> -> tensor<64x128xbf16>
          %vt = tile.load %v[%n, %c0] tile [64, 128] : memref<?x128xbf16> -> tensor<64x128xbf16>
          %scores = tile.dot %qt, transpose %kt, %none : tensor<128x128xbf16>, tensor<64x128xbf16>, tensor<128x64xf32>
          %here = tile.reduce maximum %scores dim 1 : tensor<128x64xf32> -> tensor<128xf32>
          %m1 = arith.maximumf %m0, %here : tensor<128xf32>
          %mb = tile.broadcast %m1 dims [0] tile [128, 64] : tensor<128xf32> -> tensor<128x64xf32>
          %d = arith.subf %scores, %mb : tensor<128x64xf32>
          %weights = arith.truncf %d : tensor<128x64xf32> to tensor<128x64xbf16>
          %a1 = tile.dot %weights, %vt, %a0 : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
          scf.yield %m1, %a1 : tensor<128xf32>, tensor<128x128xf32>
        }
        tile.store %acc, %o[%m, %c0] : tensor<128x128xf32>, memref<?x128xf32>
      }
    }
  }
}
