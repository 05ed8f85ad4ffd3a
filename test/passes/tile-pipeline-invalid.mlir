// RUN: tilec-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-partition{target=gfx942},tile-layout,tile-stage,tile-pipeline))'
// RUN: not tilec-opt %s --split-input-file --pass-pipeline='builtin.module(tile.program(tile-pipeline{buffers=3}))' 2>&1 | FileCheck %s
// CHECK: pipeline with 3 buffers, expected 1 or 2

tile.program @large<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.kernel @large {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 256, %N ceildiv 256] {
        %zero = tile.splat 0.0 [256, 256] : tensor<256x256xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 64]
        // expected-remark @+1 {{loop not pipelined: two copies of its buffers need 131072 bytes of LDS, gfx942 has 65536}}
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<256x256xf32>) {
          %ta = tile.load %a[%m, %k] tile [256, 64] : memref<?x?xbf16> -> tensor<256x64xbf16>
          %tb = tile.load %b[%n, %k] tile [256, 64] : memref<?x?xbf16> -> tensor<256x64xbf16>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<256x64xbf16>, tensor<256x64xbf16>, tensor<256x256xf32>
          scf.yield %next : tensor<256x256xf32>
        }
        %out = arith.truncf %acc : tensor<256x256xf32> to tensor<256x256xbf16>
        tile.store %out, %c[%m, %n] : tensor<256x256xbf16>, memref<?x?xbf16>
      }
    }
  }
}

// -----

tile.program @signalling<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  %sent = tile.signals [%K ceildiv 32] : !tile.signals<1>
  tile.kernel @signalling {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
        %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        // expected-remark @+1 {{loop not pipelined: it signals and waits}}
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
          %token = tile.wait system %sent[%k] : !tile.signals<1>
          %ta = tile.load %a[%m, %k] tile [64, 32] after %token : memref<?x?xbf16> -> tensor<64x32xbf16>
          %tb = tile.load %b[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
          %rank = tile.rank
          tile.signal system %sent[%k] to %rank : !tile.signals<1>
          scf.yield %next : tensor<64x64xf32>
        }
        %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
        tile.store %out, %c[%m, %n] : tensor<64x64xbf16>, memref<?x?xbf16>
      }
    }
  }
}

// -----

tile.program @writing<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.kernel @writing {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
        %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        // expected-remark @+1 {{loop not pipelined: it writes a buffer that it loads}}
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
          %ta = tile.load %a[%m, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %tb = tile.load %b[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
          %w = tile.splat 0.0 [64, 32] : tensor<64x32xbf16>
          tile.store %w, %a[%m, %k] : tensor<64x32xbf16>, memref<?x?xbf16>
          scf.yield %next : tensor<64x64xf32>
        }
        %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
        tile.store %out, %c[%m, %n] : tensor<64x64xbf16>, memref<?x?xbf16>
      }
    }
  }
}

// -----

tile.program @other<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.kernel @other {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
        %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        // expected-remark @+1 {{loop not pipelined: 'tile.load' has other uses than the stores to LDS}}
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
          %ta = tile.load %a[%m, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %tb = tile.load %b[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
          tile.store %ta, %c[%m, %k] : tensor<64x32xbf16>, memref<?x?xbf16>
          scf.yield %next : tensor<64x64xf32>
        }
        %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
        tile.store %out, %c[%m, %n] : tensor<64x64xbf16>, memref<?x?xbf16>
      }
    }
  }
}
