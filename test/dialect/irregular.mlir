// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix | tilec-opt --mlir-use-nameloc-as-prefix --keep-names | FileCheck %s

// Accesses whose place is data, and what the header says of the data.
// CHECK: tile.program @irregular<%N, %V>({{.*}}) extents [%ids: %N] [%slots: %N] [%table: %V, 64] indices [%ids: %V] [%slots: %N * 2 distinct] {
tile.program @irregular<%N, %V>(%ids: memref<?xi32>, %slots: memref<?xi32>, %table: memref<?x64xf32, #tile.symmetric>, %out: memref<64x64xf32, #tile.symmetric>)
    extents [%ids: %N] [%slots: %N] [%table: %V, 64] indices [%ids: %V] [%slots: 2 * %N distinct] {
  %rank = tile.rank
  %x = arith.constant 1.0 : f32
  tile.forall (%m, %n) in [4, 4] {
    %list = tile.load %ids[%m] tile [16] : memref<?xi32> -> tensor<16xi32>
    // CHECK: %rows = tile.gather %table{{ ?}}[each %list, %n] tile [16, 16] : memref<?x64xf32, #tile.symmetric>, tensor<16xi32> -> tensor<16x16xf32>
    %rows = tile.gather %table[each %list, %n] tile [16, 16] : memref<?x64xf32, #tile.symmetric>, tensor<16xi32> -> tensor<16x16xf32>
    // CHECK: %columns = tile.gather %table at (%m, each %list) tile [16, 16] from %rank else %x : f32 : memref<?x64xf32, #tile.symmetric>, tensor<16xi32> -> tensor<16x16xf32>
    %columns = tile.gather %table at (%m, each %list) tile [16, 16] from %rank else %x : f32 : memref<?x64xf32, #tile.symmetric>, tensor<16xi32> -> tensor<16x16xf32>
    %sum = arith.addf %rows, %columns : tensor<16x16xf32>
    // CHECK: tile.scatter %sum, %out{{ ?}}[%m, each %list] : tensor<16x16xf32>, memref<64x64xf32, #tile.symmetric>, tensor<16xi32>
    tile.scatter %sum, %out[%m, each %list] : tensor<16x16xf32>, memref<64x64xf32, #tile.symmetric>, tensor<16xi32>
    // CHECK: tile.scatter %sum, %out{{ ?}}[each %list, %n] to %rank : tensor<16x16xf32>, memref<64x64xf32, #tile.symmetric>, tensor<16xi32>
    tile.scatter %sum, %out[each %list, %n] to %rank : tensor<16x16xf32>, memref<64x64xf32, #tile.symmetric>, tensor<16xi32>
    // CHECK: %count = tile.read %ids[%m] upto %N : memref<?xi32>
    %count = tile.read %ids[%m] upto %N : memref<?xi32>
  }
}
