// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-pack))' | FileCheck %s

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = []>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [8, 0]], lanes = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], waves = []>
#other = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [8, 0], [1, 0], [2, 0], [4, 0]], waves = []>

// Eight registers of bf16 make one access, then lanes. The grid counts tiles, its last dimension elements.
// CHECK: #[[PACKED:layout[0-9]*]] = #tile.layout<registers = {{\[\[}}1], [2], [4]], lanes = {{\[\[}}8], [16], [32], [64], [128]], waves = []>

// CHECK-LABEL: tile.program @turned
// CHECK: %[[SLOTS:.*]] = tile.alloc [2, %{{.*}} ceildiv 16, 4, 256] {copies = 2 : i64} : memref<2x?x4x256xbf16, #tile.symmetric>
// CHECK-NOT: tile.convert
// CHECK: %[[TILES:.*]] = tile.extent [%{{.*}} ceildiv 16]
// CHECK: %[[VIEW:.*]] = memref.subview %[[SLOTS]][%{{.*}}, 0, 0, 0] [1, %[[TILES]], 4, 256] [1, 1, 1, 1]
// CHECK: %[[PUT:.*]] = tile.relabel %{{.*}} : tensor<16x16xbf16, #{{.*}}> -> tensor<256xbf16, #[[PACKED]]>
// CHECK: tile.store %[[PUT]], %[[VIEW]] [%m{{.*}}, %n{{.*}}, %{{.*}}] to %{{.*}} -> !tile.token
// CHECK: %[[GOT:.*]] = tile.load %{{.*}} [%m{{.*}}, %n{{.*}}, %{{.*}}] tile [256] after %{{.*}} -> tensor<256xbf16, #[[PACKED]]>
// CHECK: tile.relabel %[[GOT]] : tensor<256xbf16, #[[PACKED]]> -> tensor<16x16xbf16,
// What came of tiles that reach beyond the buffer is stored within the same bounds.
// CHECK: tile.store %{{.*}}, %c{{.*}} [%m{{.*}}, %n{{.*}}]
tile.program @turned<%M>(%a: memref<?x64xbf16>, %c: memref<?x64xbf16>) world 2 extents [%a: %M, 64] [%c: %M, 64] {
  %rank = tile.rank
  %one = arith.constant 1 : index
  %slots = tile.alloc [2, %M, 64] {copies = 2 : i64} : memref<2x?x64xbf16, #tile.symmetric>
  %sent = tile.signals [%M ceildiv 16, 4] : <2>
  tile.kernel @k attributes {waves = 1 : i64} {
    tile.role @send {
      tile.forall (%m, %n) in [%M ceildiv 16, 4] {
        %t = tile.load %a[%m, %n] tile [16, 16] : memref<?x64xbf16> -> tensor<16x16xbf16, #sums>
        %v = memref.subview %slots[%rank, 0, 0] [1, %M, 64] [1, 1, 1] : memref<2x?x64xbf16, #tile.symmetric> to memref<?x64xbf16, strided<[64, 1], offset: ?>, #tile.symmetric>
        %w = tile.convert %t : tensor<16x16xbf16, #sums> -> tensor<16x16xbf16, #rows>
        %k = tile.store %w, %v[%m, %n] to %one : tensor<16x16xbf16, #rows>, memref<?x64xbf16, strided<[64, 1], offset: ?>, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%m, %n] to %one publishes %k : <2>
      }
    }
    tile.role @add {
      tile.forall (%m, %n) in [%M ceildiv 16, 4] {
        %done = tile.wait system %sent[%m, %n] : <2>
        %v = memref.subview %slots[%one, 0, 0] [1, %M, 64] [1, 1, 1] : memref<2x?x64xbf16, #tile.symmetric> to memref<?x64xbf16, strided<[64, 1], offset: ?>, #tile.symmetric>
        %w = tile.load %v[%m, %n] tile [16, 16] after %done : memref<?x64xbf16, strided<[64, 1], offset: ?>, #tile.symmetric> -> tensor<16x16xbf16, #rows>
        %t = tile.convert %w : tensor<16x16xbf16, #rows> -> tensor<16x16xbf16, #sums>
        %s = arith.addf %t, %t : tensor<16x16xbf16, #sums>
        tile.store %s, %c[%m, %n] : tensor<16x16xbf16, #sums>, memref<?x64xbf16>
      }
    }
  }
}

// As the same rows of a longer buffer.
// CHECK-LABEL: tile.program @viewed
// CHECK: tile.alloc [%{{.*}} ceildiv 16, 4, 256] : memref<?x4x256xbf16>
tile.program @viewed<%M>(%a: memref<?x64xbf16>, %c: memref<?x64xbf16>) world 2 extents [%a: %M, 64] [%c: W * %M, 64] {
  %rank = tile.rank
  %slots = tile.alloc [%M, 64] : memref<?x64xbf16>
  tile.kernel @k attributes {waves = 1 : i64} {
    tile.role @r {
      tile.forall (%m, %n) in [%M ceildiv 16, 4] {
        %t = tile.load %a[%m, %n] tile [16, 16] : memref<?x64xbf16> -> tensor<16x16xbf16, #sums>
        %w = tile.convert %t : tensor<16x16xbf16, #sums> -> tensor<16x16xbf16, #rows>
        tile.store %w, %slots[%m, %n] : tensor<16x16xbf16, #rows>, memref<?x64xbf16>
      }
    }
    tile.role @s {
      tile.forall (%m, %n) in [%M ceildiv 16, 4] {
        %w = tile.load %slots[%m, %n] tile [16, 16] : memref<?x64xbf16> -> tensor<16x16xbf16, #rows>
        %t = tile.convert %w : tensor<16x16xbf16, #rows> -> tensor<16x16xbf16, #sums>
        %start = arith.muli %rank, %M : index
        %v = memref.subview %c[%start, 0] [%M, 64] [1, 1] : memref<?x64xbf16> to memref<?x64xbf16, strided<[64, 1], offset: ?>>
        tile.store %t, %v[%m, %n] : tensor<16x16xbf16, #sums>, memref<?x64xbf16, strided<[64, 1], offset: ?>>
      }
    }
  }
}

// A sum over rows would have what lies beyond the buffer's end in it.
// CHECK-LABEL: tile.program @summed
// CHECK: tile.alloc [%{{.*}}, 64] : memref<?x64xf32>
tile.program @summed<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>) world 1 extents [%a: %M, 64] [%c: 1, 64] {
  %zero = arith.constant 0 : index
  %part = tile.alloc [%M, 64] : memref<?x64xf32>
  tile.kernel @k attributes {waves = 1 : i64} {
    tile.role @r {
      tile.forall (%m, %n) in [%M ceildiv 16, 4] {
        %t = tile.load %a[%m, %n] tile [16, 16] : memref<?x64xf32> -> tensor<16x16xf32, #sums>
        %e = math.exp %t : tensor<16x16xf32, #sums>
        tile.store %e, %part[%m, %n] : tensor<16x16xf32, #sums>, memref<?x64xf32>
      }
    }
    tile.role @s {
      tile.forall (%m, %n) in [%M ceildiv 16, 4] {
        %t = tile.load %part[%m, %n] tile [16, 16] : memref<?x64xf32> -> tensor<16x16xf32, #sums>
        %u = tile.reduce add %t dim 0 : tensor<16x16xf32, #sums> -> tensor<16xf32, #tile.layout<registers = [[1], [8]], lanes = [[2], [4], [0], [0], [0]], waves = []>>
        %r = tile.broadcast %u dims [1] tile [16, 16] : tensor<16xf32, #tile.layout<registers = [[1], [8]], lanes = [[2], [4], [0], [0], [0]], waves = []>> -> tensor<16x16xf32, #tile.layout<registers = [[0, 1], [0, 8]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[8, 0]]>>
      }
    }
  }
}

// Neither do buffers whose accesses disagree, whose tiles already move in the widest accesses, or that later launches read.
// CHECK-LABEL: tile.program @rows
// CHECK-COUNT-3: tile.alloc [64, 64] : memref<64x64xbf16>
// CHECK: tile.alloc persistent [64, 64] : memref<64x64xbf16>
// CHECK-NOT: tile.relabel
tile.program @rows(%a: memref<64x64xbf16>, %c: memref<64x64xbf16>) world 1 {
  %disagree = tile.alloc [64, 64] : memref<64x64xbf16>
  %sides = tile.alloc [64, 64] : memref<64x64xbf16>
  %wide = tile.alloc [64, 64] : memref<64x64xbf16>
  %later = tile.alloc persistent [64, 64] : memref<64x64xbf16>
  tile.kernel @k attributes {waves = 1 : i64} {
    tile.role @r {
      tile.forall (%m, %n) in [4, 4] {
        %t = tile.load %a[%m, %n] tile [16, 16] : memref<64x64xbf16> -> tensor<16x16xbf16, #sums>
        tile.store %t, %disagree[%m, %n] : tensor<16x16xbf16, #sums>, memref<64x64xbf16>
        tile.store %t, %sides[%m, %n] : tensor<16x16xbf16, #sums>, memref<64x64xbf16>
        tile.store %t, %later[%m, %n] : tensor<16x16xbf16, #sums>, memref<64x64xbf16>
        %o = tile.load %a[%m, %n] tile [16, 16] : memref<64x64xbf16> -> tensor<16x16xbf16, #other>
        tile.store %o, %wide[%m, %n] : tensor<16x16xbf16, #other>, memref<64x64xbf16>
      }
    }
    tile.role @s {
      tile.forall (%m, %n) in [4, 4] {
        %t = tile.load %disagree[%m, %n] tile [16, 16] : memref<64x64xbf16> -> tensor<16x16xbf16, #rows>
        tile.store %t, %c[%m, %n] : tensor<16x16xbf16, #rows>, memref<64x64xbf16>
        %u = tile.load %sides[%m, %n] tile [8, 32] : memref<64x64xbf16> -> tensor<8x32xbf16, #tile.layout<registers = [[0, 1], [0, 16], [0, 8]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = []>>
        %w = tile.load %wide[%m, %n] tile [16, 16] : memref<64x64xbf16> -> tensor<16x16xbf16, #other>
        tile.store %w, %c[%m, %n] : tensor<16x16xbf16, #other>, memref<64x64xbf16>
        %x = tile.load %later[%m, %n] tile [16, 16] : memref<64x64xbf16> -> tensor<16x16xbf16, #sums>
        tile.store %x, %c[%m, %n] : tensor<16x16xbf16, #sums>, memref<64x64xbf16>
      }
    }
  }
}
