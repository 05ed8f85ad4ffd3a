// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix | tilec-opt --mlir-use-nameloc-as-prefix --keep-names | FileCheck %s

// Loads, stores and atomics: tile coordinates, element offsets, other ranks, tiles of lower rank.
tile.program @memory(%a: memref<64x64xf32, #tile.symmetric>, %b: memref<64x64xf32>) {
  %rank = tile.rank
  %x = arith.constant 1.0 : f32
  tile.forall (%m, %n) over %b tiles [16, 16] : memref<64x64xf32> {
    // CHECK: %t = tile.load %a{{ ?}}[%m, %n] tile [16, 16] : memref<64x64xf32, #tile.symmetric> -> tensor<16x16xf32>
    %t = tile.load %a[%m, %n] tile [16, 16] : memref<64x64xf32, #tile.symmetric> -> tensor<16x16xf32>
    // CHECK: %row = tile.load %a at (%m, %n) tile [16] from %rank else %x : f32 : memref<64x64xf32, #tile.symmetric> -> tensor<16xf32>
    %row = tile.load %a at (%m, %n) tile [16] from %rank else %x : f32 : memref<64x64xf32, #tile.symmetric> -> tensor<16xf32>
    // CHECK: tile.store %t, %b{{ ?}}[%m, %n] : tensor<16x16xf32>, memref<64x64xf32>
    tile.store %t, %b[%m, %n] : tensor<16x16xf32>, memref<64x64xf32>
  }
  tile.forall (%m, %n) in [4, 4] {
    %t = tile.splat 1.0 [16, 16] : tensor<16x16xf32>
    // CHECK: tile.store %t{{.*}}, %a{{ ?}}[%m, %n] to %rank : tensor<16x16xf32>, memref<64x64xf32, #tile.symmetric>
    tile.store %t, %a[%m, %n] to %rank : tensor<16x16xf32>, memref<64x64xf32, #tile.symmetric>
  }
  tile.forall (%m, %n) in [4, 4] {
    %t = tile.splat 1.0 [16, 16] : tensor<16x16xf32>
    // CHECK: tile.atomic{{ +}}add %t{{.*}}, %a{{ ?}}[%m, %m] on %rank : tensor<16x16xf32>, memref<64x64xf32, #tile.symmetric>
    tile.atomic add %t, %a[%m, %m] on %rank : tensor<16x16xf32>, memref<64x64xf32, #tile.symmetric>
  }
}
