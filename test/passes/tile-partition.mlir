// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=gfx942}))' | FileCheck %s
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=gfx950 waves=2}))' | FileCheck %s --check-prefix=GIVEN

// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=sm_90a}))' | FileCheck %s --check-prefix=WARPS

// Four waves; more for a large accumulator; a kernel's own number stays. The program remembers its target.
// CHECK: target = "gfx942"
// CHECK: tile.kernel @copy attributes {waves = 4 : i64}
// CHECK: tile.kernel @large attributes {waves = 8 : i64}
// CHECK: tile.kernel @given attributes {waves = 1 : i64}
// One wave meets nobody. Tiles of one vector a lane of a wave need no other wave.
// CHECK: tile.wait {{ *}}agent by wave
// CHECK: tile.signal {{ *}}agent by wave
// CHECK: tile.kernel @small attributes {waves = 1 : i64}
// As many threads on waves of 32 lanes.
// WARPS: target = "sm_90a"
// WARPS: tile.kernel @copy attributes {waves = 8 : i64}
// WARPS: tile.kernel @large attributes {waves = 16 : i64}
// WARPS: tile.kernel @given attributes {waves = 1 : i64}
// GIVEN: target = "gfx950"
// GIVEN: tile.kernel @copy attributes {waves = 2 : i64}
// GIVEN: tile.kernel @given attributes {waves = 1 : i64}
tile.program @kernels<%M>(%x: memref<?x64xbf16>, %y: memref<?x64xbf16>, %z: memref<?x256xf32>)
    world 2 extents [%x: %M, 64] [%y: %M, 64] [%z: %M, 256] {
  %sent = tile.signals [W, 1] : !tile.signals<2>
  tile.kernel @copy {
    tile.role @tiles {
      tile.forall (%m) in [%M ceildiv 64] {
        %c0 = arith.constant 0 : index
        %t0 = tile.wait agent %sent[%c0, %c0] : !tile.signals<2>
        %t1 = tile.wait agent %sent[%c0, %c0] : !tile.signals<2>
        %both = tile.join (%t0, %t1)
        %t = tile.load %x[%m, %c0] tile [64, 64] after %both : memref<?x64xbf16> -> tensor<64x64xbf16>
        tile.store %t, %y[%m, %c0] : tensor<64x64xbf16>, memref<?x64xbf16>
      }
    }
  }
  tile.kernel @large {
    tile.role @tiles {
      tile.forall (%m) in [%M ceildiv 256] {
        %c0 = arith.constant 0 : index
        %zero = tile.splat 0.0 [256, 256] : tensor<256x256xf32>
        %a = tile.load %x[%m, %c0] tile [256, 64] : memref<?x64xbf16> -> tensor<256x64xbf16>
        %r = tile.dot %a, transpose %a, %zero : tensor<256x64xbf16>, tensor<256x64xbf16>, tensor<256x256xf32>
        tile.store %r, %z[%m, %c0] : tensor<256x256xf32>, memref<?x256xf32>
      }
    }
  }
  tile.kernel @given attributes {waves = 1 : i64} {
    tile.role @once {
      %c0 = arith.constant 0 : index
      %t0 = tile.wait agent %sent[%c0, %c0] : !tile.signals<2>
      tile.signal agent %sent[%c0, %c0] to %c0 : !tile.signals<2>
    }
  }
  tile.kernel @small {
    tile.role @tiles {
      tile.forall (%m) in [%M ceildiv 8] {
        %c0 = arith.constant 0 : index
        %t = tile.load %x[%m, %c0] tile [8, 64] : memref<?x64xbf16> -> tensor<8x64xbf16>
        tile.store %t, %y[%m, %c0] : tensor<8x64xbf16>, memref<?x64xbf16>
      }
    }
  }
}
