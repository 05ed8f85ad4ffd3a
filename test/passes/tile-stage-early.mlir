// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=sm_90a},tile-layout,tile-stage))' | FileCheck %s

// The weights are on their way while the row is awaited: they need nothing of the sum, and neither do the places of a load.
// CHECK-LABEL: tile.program @weights
// CHECK: tile.forall
// CHECK: tile.load %arg1
// CHECK: tile.load %arg2
// CHECK: tile.load %arg2
// CHECK: tile.reduce
// CHECK-NOT: tile.load
tile.program @weights<%M>(%x: memref<?x1024xf32>, %g: memref<?xf32>, %y: memref<?x1024xf32>)
    world 1 extents [%x: %M, 1024] [%g: 2048] [%y: %M, 1024] {
  tile.kernel @weights {
    tile.role @rows {
      tile.forall (%m) in [%M ceildiv 8] {
        %c0 = arith.constant 0 : index
        %t = tile.load %x[%m, %c0] tile [8, 1024] : memref<?x1024xf32> -> tensor<8x1024xf32>
        %s = tile.reduce add %t dim 1 : tensor<8x1024xf32> -> tensor<8xf32>
        %g0 = tile.load %g[%c0] tile [1024] : memref<?xf32> -> tensor<1024xf32>
        %c1 = arith.constant 1 : index
        %g1 = tile.load %g[%c1] tile [1024] : memref<?xf32> -> tensor<1024xf32>
        %sb = tile.broadcast %s dims [0] tile [8, 1024] : tensor<8xf32> -> tensor<8x1024xf32>
        %gb = tile.broadcast %g0 dims [1] tile [8, 1024] : tensor<1024xf32> -> tensor<8x1024xf32>
        %hb = tile.broadcast %g1 dims [1] tile [8, 1024] : tensor<1024xf32> -> tensor<8x1024xf32>
        %p = arith.mulf %t, %sb : tensor<8x1024xf32>
        %q = math.fma %p, %gb, %hb : tensor<8x1024xf32>
        tile.store %q, %y[%m, %c0] : tensor<8x1024xf32>, memref<?x1024xf32>
      }
    }
  }
}

// A store may write what the load reads.
// CHECK-LABEL: tile.program @stored
// CHECK: tile.load
// CHECK: tile.reduce
// CHECK: tile.store
// CHECK: tile.reduce
// CHECK: tile.load
// CHECK: tile.store
tile.program @stored<%M>(%x: memref<?x64xf32>, %s: memref<?xf32>) world 1 extents [%x: %M, 64] [%s: %M] {
  tile.kernel @stored {
    tile.role @rows {
      tile.forall (%m) in [%M ceildiv 8] {
        %c0 = arith.constant 0 : index
        %t = tile.load %x[%m, %c0] tile [8, 64] : memref<?x64xf32> -> tensor<8x64xf32>
        %a = tile.reduce add %t dim 1 : tensor<8x64xf32> -> tensor<8xf32>
        tile.store %a, %s[%m] : tensor<8xf32>, memref<?xf32>
        %b = tile.reduce maximum %t dim 1 : tensor<8x64xf32> -> tensor<8xf32>
        %c = tile.load %s[%m] tile [8] : memref<?xf32> -> tensor<8xf32>
        %d = arith.addf %b, %c : tensor<8xf32>
        tile.store %d, %s[%m] : tensor<8xf32>, memref<?xf32>
      }
    }
  }
}

// 64 registers of rows leave no room for 64 more.
// CHECK-LABEL: tile.program @crowded
// CHECK: tile.load %arg1
// CHECK: tile.reduce
// CHECK: tile.load %arg2
tile.program @crowded<%M>(%x: memref<?x2048xf32>, %g: memref<?x2048xf32>, %y: memref<?x2048xf32>)
    world 1 extents [%x: %M, 2048] [%g: %M, 2048] [%y: %M, 2048] {
  tile.kernel @crowded {
    tile.role @rows {
      tile.forall (%m) in [%M ceildiv 8] {
        %c0 = arith.constant 0 : index
        %t = tile.load %x[%m, %c0] tile [8, 2048] : memref<?x2048xf32> -> tensor<8x2048xf32>
        %s = tile.reduce add %t dim 1 : tensor<8x2048xf32> -> tensor<8xf32>
        %u = tile.load %g[%m, %c0] tile [8, 2048] : memref<?x2048xf32> -> tensor<8x2048xf32>
        %sb = tile.broadcast %s dims [0] tile [8, 2048] : tensor<8xf32> -> tensor<8x2048xf32>
        %p = math.fma %t, %sb, %u : tensor<8x2048xf32>
        tile.store %p, %y[%m, %c0] : tensor<8x2048xf32>, memref<?x2048xf32>
      }
    }
  }
}
