// RUN: tilec-opt %s | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt | FileCheck %s

// Tasks of a rank count themselves, and the last of four goes on.
// CHECK: tile.program @sums
tile.program @sums<%M>(%a: memref<4x?x64xf32>, %c: memref<?x64xf32>) extents [%a: 4, %M, 64] [%c: %M, 64] {
  %parts = tile.alloc [4, %M, 64] : memref<4x?x64xf32>
  %done = tile.signals [%M ceildiv 64] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  tile.kernel @sums {
    tile.role @scale {
      tile.forall (%p, %m) in [4, %M ceildiv 64] {
        %t = tile.load %a[%p, %m, %zero] tile [64, 64] : memref<4x?x64xf32> -> tensor<64x64xf32>
        %stored = tile.store %t, %parts[%p, %m, %zero] : tensor<64x64xf32>, memref<4x?x64xf32> -> !tile.token
        // CHECK: %{{.*}}, %{{.*}} = tile.arrive %{{.*}}[%{{.*}}] of %{{.*}} publishes %{{.*}} : <1>
        %last, %all = tile.arrive %done[%m] of %four publishes %stored : !tile.signals<1>
        scf.if %last {
          %u = tile.load %parts[%zero, %m, %zero] tile [64, 64] after %all : memref<4x?x64xf32> -> tensor<64x64xf32>
          tile.store %u, %c[%m, %zero] : tensor<64x64xf32>, memref<?x64xf32>
        }
      }
    }
  }
}

// CHECK: tile.program @by_wave
tile.program @by_wave() {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  tile.kernel @k attributes {waves = 1} {
    tile.role @r {
      tile.forall (%i) in [2] {
        // CHECK: tile.arrive by {{ *}}wave %{{.*}}[%{{.*}}] of %{{.*}} : <1>
        %last, %all = tile.arrive by wave %done[%zero] of %two : !tile.signals<1>
        scf.if %last {
        }
      }
    }
  }
}
