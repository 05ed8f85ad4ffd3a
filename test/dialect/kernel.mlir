// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix | tilec-opt --mlir-use-nameloc-as-prefix --keep-names | FileCheck %s

// The kernel form, and a tile in LDS.
// CHECK: #layout = #tile.layout<registers = {{\[\[}}1]], lanes = {{\[\[}}2], [4], [8]], waves = []>
tile.program @kernel(%a: memref<64xf32, #tile.symmetric>) {
  // CHECK: %sent = tile.signals [W, 4] :
  %sent = tile.signals [W, 4] : !tile.signals<2>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  // CHECK: tile.kernel @k attributes {waves = 4 : i64} {
  tile.kernel @k attributes {waves = 4} {
    // CHECK: tile.role @enter first {
    tile.role @enter first {
    }
    // CHECK: tile.role @send on 8 workgroups {
    tile.role @send on 8 workgroups {
      tile.forall (%m) in [4] {
        %t = tile.splat 0.0 [16] : tensor<16xf32>
        // CHECK: %stored = tile.store %t, %a{{ ?}}[%m] : tensor<16xf32>, memref<64xf32, #tile.symmetric> -> !tile.token
        %stored = tile.store %t, %a[%m] : tensor<16xf32>, memref<64xf32, #tile.symmetric> -> !tile.token
        // CHECK: tile.signal{{ +}}system %sent[%rank, %m] to %rank publishes %stored :
        tile.signal system %sent[%rank, %m] to %rank publishes %stored : !tile.signals<2>
      }
    }
    // CHECK: tile.role @receive {
    tile.role @receive {
      // CHECK: %arrived = tile.wait{{ +}}agent %sent[%rank, %zero] count{{ ?}}[%one, %one] lag 2 :
      %arrived = tile.wait agent %sent[%rank, %zero] count [%one, %one] lag 2 : !tile.signals<2>
      // CHECK: tile.wait{{ +}}agent by wave %sent[%rank, %zero] :
      %mine = tile.wait agent by wave %sent[%rank, %zero] : !tile.signals<2>
      // CHECK: tile.wait{{ +}}agent %sent[%zero, %zero] :
      %ours = tile.wait agent by workgroup %sent[%zero, %zero] : !tile.signals<2>
      // CHECK: %both = tile.join(%arrived, %arrived)
      %both = tile.join(%arrived, %arrived)
      // CHECK: %t = tile.load %a{{ ?}}[%zero] tile [16] after %both : memref<64xf32, #tile.symmetric> -> tensor<16xf32>
      %t = tile.load %a[%zero] tile [16] after %both : memref<64xf32, #tile.symmetric> -> tensor<16xf32>
      // CHECK: %lds = tile.shared_buffer at 128 : memref<2x16xf32, #tile.shared<4, 2, 2>>
      %lds = tile.shared_buffer at 128 : memref<2x16xf32, #tile.shared<4, 2, 2>>
      // CHECK: tile.shared_store %t, %lds[%zero] : tensor<16xf32>, memref<2x16xf32, #tile.shared<4, 2, 2>>
      tile.shared_store %t, %lds[%zero] : tensor<16xf32>, memref<2x16xf32, #tile.shared<4, 2, 2>>
      // CHECK: tile.barrier
      tile.barrier
      // CHECK: %u = tile.shared_load %lds[%one] : memref<2x16xf32, #tile.shared<4, 2, 2>> -> tensor<16xf32>
      %u = tile.shared_load %lds[%one] : memref<2x16xf32, #tile.shared<4, 2, 2>> -> tensor<16xf32>
      %rect = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
      %across = tile.shared_buffer at 256 : memref<8x4xf32, #tile.shared<1, 1, 1>>
      // CHECK: tile.shared_store %rect, transposed %across : tensor<4x8xf32>, memref<8x4xf32, #tile.shared<1, 1, 1>>
      tile.shared_store %rect, transposed %across : tensor<4x8xf32>, memref<8x4xf32, #tile.shared<1, 1, 1>>
      // CHECK: tile.shared_load transposed %across : memref<8x4xf32, #tile.shared<1, 1, 1>> -> tensor<4x8xf32>
      %back = tile.shared_load transposed %across : memref<8x4xf32, #tile.shared<1, 1, 1>> -> tensor<4x8xf32>
      // CHECK: %v = tile.convert %u : tensor<16xf32> -> tensor<16xf32, #layout>
      %v = tile.convert %u : tensor<16xf32> -> tensor<16xf32, #tile.layout<registers = [[1]], lanes = [[2], [4], [8]], waves = []>>
    }
    // CHECK: tile.role @leave last {
    tile.role @leave last {
    }
  }
}
