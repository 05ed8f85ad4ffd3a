// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=gfx942},tile-layout,tile-stage,tile-pipeline,tile-allocate,tile-lower,tile-check))' | FileCheck %s

// Q goes to LDS before the loop, K and V in it, with two copies; P on its way from one dot to the next. K and V share bytes
// with Q: nothing overlaps in time, on no path.
// CHECK-LABEL: tile.program @attention
// CHECK-COUNT-2: hip.mma
tile.program @attention<%S>(%q: memref<?x64xbf16>, %k: memref<?x64xbf16>, %v: memref<?x64xbf16>, %o: memref<?x64xbf16>)
    world 1 extents [%q: %S, 64] [%k: %S, 64] [%v: %S, 64] [%o: %S, 64] {
  tile.kernel @attention {
    tile.role @rows {
      tile.forall (%m) in [%S ceildiv 128] {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %ub = tile.extent [%S ceildiv 64]
        %tq = tile.load %q[%m, %c0] tile [128, 64] : memref<?x64xbf16> -> tensor<128x64xbf16>
        %zero = tile.splat 0.0 [128, 64] : tensor<128x64xf32>
        %low = tile.splat -1.0e30 [128] : tensor<128xf32>
        %none = tile.splat 0.0 [128] : tensor<128xf32>
        %r:3 = scf.for %j = %c0 to %ub step %c1 iter_args(%acc = %zero, %max = %low, %sum = %none) -> (tensor<128x64xf32>, tensor<128xf32>, tensor<128xf32>) {
          %tk = tile.load %k[%j, %c0] tile [64, 64] : memref<?x64xbf16> -> tensor<64x64xbf16>
          %s = tile.dot %tq, transpose %tk, %zero : tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>
          %row = tile.reduce maximum %s dim 1 : tensor<128x64xf32> -> tensor<128xf32>
          %nm = arith.maximumf %max, %row : tensor<128xf32>
          %nb = tile.broadcast %nm dims [0] tile [128, 64] : tensor<128xf32> -> tensor<128x64xf32>
          %d = arith.subf %s, %nb : tensor<128x64xf32>
          %p = math.exp %d : tensor<128x64xf32>
          %ps = tile.reduce add %p dim 1 : tensor<128x64xf32> -> tensor<128xf32>
          %od = arith.subf %max, %nm : tensor<128xf32>
          %scale = math.exp %od : tensor<128xf32>
          %ss = arith.mulf %sum, %scale : tensor<128xf32>
          %ns = arith.addf %ss, %ps : tensor<128xf32>
          %sb = tile.broadcast %scale dims [0] tile [128, 64] : tensor<128xf32> -> tensor<128x64xf32>
          %sa = arith.mulf %acc, %sb : tensor<128x64xf32>
          %ph = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xbf16>
          %tv = tile.load %v[%j, %c0] tile [64, 64] : memref<?x64xbf16> -> tensor<64x64xbf16>
          %na = tile.dot %ph, %tv, %sa : tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>
          scf.yield %na, %nm, %ns : tensor<128x64xf32>, tensor<128xf32>, tensor<128xf32>
        }
        %b = tile.broadcast %r#2 dims [0] tile [128, 64] : tensor<128xf32> -> tensor<128x64xf32>
        %n = arith.divf %r#0, %b : tensor<128x64xf32>
        %out = arith.truncf %n : tensor<128x64xf32> to tensor<128x64xbf16>
        tile.store %out, %o[%m, %c0] : tensor<128x64xbf16>, memref<?x64xbf16>
      }
    }
  }
}
