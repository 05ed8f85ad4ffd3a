// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=gfx942},tile-layout,tile-stage))' | FileCheck %s

// Three tiles, one pair of barriers: the loads move up, the left operand is stored once. No bank conflicts: swizzled.
// CHECK-LABEL: tile.program @two
// CHECK-COUNT-3: tile.shared_buffer : memref<{{.*}}x32xbf16, #tile.shared<8, 2, 4>>
// CHECK: scf.for
// CHECK-COUNT-3: tile.load
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.shared_store
// CHECK-NEXT: tile.shared_store
// CHECK-NEXT: tile.shared_store
// CHECK-NEXT: tile.barrier
// CHECK-COUNT-3: tile.shared_load
// CHECK-NOT: tile.convert
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

// Two rows on four waves: reductions along the columns meet in LDS, one partial result for each of two waves.
// CHECK-LABEL: tile.program @softmax
// CHECK-COUNT-2: tile.shared_buffer : memref<2x2xf32, #tile.shared<1, 1, 1>>
// CHECK: tile.barrier
// CHECK-NEXT: tile.reduce maximum {{.*}} scratch
// CHECK: tile.barrier
// CHECK-NEXT: tile.reduce add {{.*}} scratch

// A plain copy needs no LDS; the transposed store does.
// CHECK-LABEL: tile.program @copy
// CHECK: tile.store
// CHECK: tile.transpose
// CHECK: tile.shared_store
// CHECK: tile.barrier
// CHECK: tile.shared_load
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
tile.program @copy<%M>(%x: memref<?x256xf32>, %y: memref<?x256xf32>, %v: memref<?xbf16>, %w: memref<?xbf16>) world 1 extents [%x: %M, 256] [%y: %M, 256] [%v: %M] [%w: %M] {
  tile.kernel @copy {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 64, 4] {
        %t = tile.load %x[%m, %n] tile [64, 64] : memref<?x256xf32> -> tensor<64x64xf32>
        tile.store %t, %y[%m, %n] : tensor<64x64xf32>, memref<?x256xf32>
        %r = tile.transpose %t [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
        tile.store %r, %y[%n, %m] : tensor<64x64xf32>, memref<?x256xf32>
        %h = arith.truncf %r : tensor<64x64xf32> to tensor<64x64xbf16>
        %q = tile.reshape %h tile [4096] : tensor<64x64xbf16> -> tensor<4096xbf16>
        tile.store %q, %w[%m] : tensor<4096xbf16>, memref<?xbf16>
        %vv = tile.load %v[%m] tile [64] : memref<?xbf16> -> tensor<64xbf16>
        tile.store %vv, %w[%m] : tensor<64xbf16>, memref<?xbf16>
      }
    }
  }
}

// Where the threads of a task meet between two accesses to memory. No barrier: tiles of one shape of one view, by any
// coordinates, in any pass, whichever rank's. One in the loop: another view in each pass. One between: other threads of
// other stores. None behind a wait of the workgroup; one behind a wait of each wave. Tiles that constants keep apart need none.
// CHECK-LABEL: tile.program @meet
// CHECK: scf.for
// CHECK-NOT: tile.barrier
// CHECK: scf.for
// CHECK-NEXT: memref.subview
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
// CHECK-NEXT: arith.addf
// CHECK-NEXT: tile.store
// CHECK-NEXT: }
// CHECK-COUNT-3: tile.splat
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.wait {{ *}}agent %
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.wait {{ *}}agent by {{ *}}wave
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
// CHECK-NEXT: arith.constant
// CHECK-NEXT: tile.store
// CHECK-NOT: tile.barrier
tile.program @meet(%a: memref<8192xf32, #tile.symmetric>, %b: memref<8192xf32>, %d: memref<8192xf32>) world 2 extents [%a: 8192] [%b: 8192] [%d: 8192] {
  %s = tile.signals [1] : !tile.signals<1>
  %z = arith.constant 0 : index
  %rank = tile.rank
  tile.kernel @meet attributes {waves = 4} {
    tile.role @tiles {
      tile.forall (%m) in [1] {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c8 = arith.constant 8 : index
        scf.for %i = %c0 to %c8 step %c1 {
          %last = arith.subi %c8, %i : index
          %t = tile.load %a[%i] tile [1024] : memref<8192xf32, #tile.symmetric> -> tensor<1024xf32>
          tile.store %t, %a[%last] to %rank : tensor<1024xf32>, memref<8192xf32, #tile.symmetric>
        }
        scf.for %i = %c0 to %c8 step %c1 {
          %v = memref.subview %b[%i] [1024] [1] : memref<8192xf32> to memref<1024xf32, strided<[1], offset: ?>>
          %t = tile.load %v[%c0] tile [1024] : memref<1024xf32, strided<[1], offset: ?>> -> tensor<1024xf32>
          %u = arith.addf %t, %t : tensor<1024xf32>
          tile.store %u, %v[%c0] : tensor<1024xf32>, memref<1024xf32, strided<[1], offset: ?>>
        }
        %t = tile.splat 1.0 [1024] : tensor<1024xf32>
        tile.store %t, %d at (%c0) : tensor<1024xf32>, memref<8192xf32>
        tile.store %t, %d at (%c1) : tensor<1024xf32>, memref<8192xf32>
        %w = tile.wait agent %s[%z] : !tile.signals<1>
        tile.store %t, %d at (%c0) after %w : tensor<1024xf32>, memref<8192xf32>
        %w2 = tile.wait agent by wave %s[%z] : !tile.signals<1>
        %u = tile.load %d at (%c1) tile [1024] after %w2 : memref<8192xf32> -> tensor<1024xf32>
        %c2048 = arith.constant 2048 : index
        tile.store %u, %d at (%c2048) : tensor<1024xf32>, memref<8192xf32>
      }
    }
  }
}

// Two tiles that fit LDS only one after the other: each has its own pair of barriers, so that they may share bytes.
// CHECK-LABEL: tile.program @crowded
// CHECK: scf.for
// CHECK: tile.barrier
// CHECK-NEXT: tile.shared_store %{{.*}}, %[[A:.*]] :
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.shared_load %[[A]]
// CHECK: tile.barrier
// CHECK-NEXT: tile.shared_store %{{.*}}, %[[B:.*]] :
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.shared_load %[[B]]
tile.program @crowded<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.kernel @crowded {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 256, %N ceildiv 256] {
        %zero = tile.splat 0.0 [256, 256] : tensor<256x256xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 128]
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<256x256xf32>) {
          %ta = tile.load %a[%m, %k] tile [256, 128] : memref<?x?xbf16> -> tensor<256x128xbf16>
          %tb = tile.load %b[%n, %k] tile [256, 128] : memref<?x?xbf16> -> tensor<256x128xbf16>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<256x128xbf16>, tensor<256x128xbf16>, tensor<256x256xf32>
          scf.yield %next : tensor<256x256xf32>
        }
        tile.store %acc, %c[%m, %n] : tensor<256x256xf32>, memref<?x?xf32>
      }
    }
  }
}
