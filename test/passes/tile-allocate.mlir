// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=gfx942},tile-layout,tile-stage,tile-allocate))' | FileCheck %s

// Buffers of one time lie one after the other, behind the library's 64 bytes.
// CHECK-LABEL: tile.program @two
// CHECK: shared_bytes = 16384
// CHECK: tile.shared_buffer at 0 : memref<128x32xbf16
// CHECK: tile.shared_buffer at 8192 : memref<64x32xbf16
// CHECK: tile.shared_buffer at 12288 : memref<64x32xbf16
tile.program @two<%M, %N, %K>(%x: memref<?x?xbf16>, %g: memref<?x?xbf16>, %u: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    world 1 extents [%x: %M, %K] [%g: %N, %K] [%u: %N, %K] [%c: %M, %N] {
  tile.kernel @two {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 128, %N ceildiv 64] {
        %zero = tile.splat 0.0 [128, 64] : tensor<128x64xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        %acc:2 = scf.for %k = %lb to %ub step %step iter_args(%s0 = %zero, %s1 = %zero) -> (tensor<128x64xf32>, tensor<128x64xf32>) {
          %tx = tile.load %x[%m, %k] tile [128, 32] : memref<?x?xbf16> -> tensor<128x32xbf16>
          %tg = tile.load %g[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %n0 = tile.dot %tx, transpose %tg, %s0 : tensor<128x32xbf16>, tensor<64x32xbf16>, tensor<128x64xf32>
          %tu = tile.load %u[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %n1 = tile.dot %tx, transpose %tu, %s1 : tensor<128x32xbf16>, tensor<64x32xbf16>, tensor<128x64xf32>
          scf.yield %n0, %n1 : tensor<128x64xf32>, tensor<128x64xf32>
        }
        %p = arith.mulf %acc#0, %acc#1 : tensor<128x64xf32>
        %out = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xbf16>
        tile.store %out, %c[%m, %n] : tensor<128x64xbf16>, memref<?x?xbf16>
      }
    }
  }
}

// The two reductions follow each other: one place for both.
// CHECK-LABEL: tile.program @softmax
// CHECK: shared_bytes = 16 :
// CHECK: tile.shared_buffer at 0 : memref<2x2xf32
// CHECK: tile.shared_buffer at 0 : memref<2x2xf32
tile.program @softmax<%M>(%x: memref<?x256xf32>, %y: memref<?x256xf32>, %s: memref<?xf32>) world 1 extents [%x: %M, 256] [%y: %M, 256] [%s: %M] {
  tile.kernel @softmax {
    tile.role @rows {
      tile.forall (%m) in [%M ceildiv 2] {
        %c0 = arith.constant 0 : index
        %t = tile.load %x[%m, %c0] tile [2, 256] : memref<?x256xf32> -> tensor<2x256xf32>
        %max = tile.reduce maximum %t dim 1 : tensor<2x256xf32> -> tensor<2xf32>
        %b = tile.broadcast %max dims [0] tile [2, 256] : tensor<2xf32> -> tensor<2x256xf32>
        %d = arith.subf %t, %b : tensor<2x256xf32>
        %e = math.exp %d : tensor<2x256xf32>
        %sum = tile.reduce add %e dim 1 : tensor<2x256xf32> -> tensor<2xf32>
        %sb = tile.broadcast %sum dims [0] tile [2, 256] : tensor<2xf32> -> tensor<2x256xf32>
        %o = arith.divf %e, %sb : tensor<2x256xf32>
        tile.store %o, %y[%m, %c0] : tensor<2x256xf32>, memref<?x256xf32>
        tile.store %sum, %s[%m] : tensor<2xf32>, memref<?xf32>
      }
    }
  }
}
