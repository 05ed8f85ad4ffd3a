// A statement waited for every earlier one that touches its buffer (8 waits): what one in between writes over needs none.
// RUN: tilec %s --world 1 --pattern sequential --until=waits | grep -c 'tile.wait ' | FileCheck %s
// RUN: tilec run %s --world 1 --pattern sequential --race --memory weak --shuffle --launches 2 --extents-from 1,70
// CHECK: {{^}}6{{$}}
tile.program @reused<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) extents [%a: %M, 64] [%b: %M, 64] {
  %s0 = tile.alloc [%M, 64] : memref<?x64xf32>
  %s1 = tile.alloc [%M, 64] : memref<?x64xf32>
  tile.forall (%m) in [%M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %t = tile.load %a[%m, %c0] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    %u = arith.addf %t, %t : tensor<32x64xf32>
    tile.store %u, %s0[%m, %c0] : tensor<32x64xf32>, memref<?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %t = tile.load %s0[%m, %c0] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    %u = arith.addf %t, %t : tensor<32x64xf32>
    tile.store %u, %s1[%m, %c0] : tensor<32x64xf32>, memref<?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %t = tile.load %s1[%m, %c0] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    %u = arith.addf %t, %t : tensor<32x64xf32>
    tile.store %u, %s0[%m, %c0] : tensor<32x64xf32>, memref<?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %t = tile.load %s0[%m, %c0] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    %u = arith.addf %t, %t : tensor<32x64xf32>
    tile.store %u, %s1[%m, %c0] : tensor<32x64xf32>, memref<?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %t = tile.load %s1[%m, %c0] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    %u = arith.addf %t, %t : tensor<32x64xf32>
    tile.store %u, %b[%m, %c0] : tensor<32x64xf32>, memref<?x64xf32>
  }
}
