// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=gfx942},tile-layout))' | FileCheck %s
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=gfx950},tile-layout))' | FileCheck %s --check-prefix=WIDE

// The accumulator: transposed form of Mfma32x32x8, four consecutive columns a lane, 2 x 2 waves. The bias takes its slice,
// one row for all lanes; the residual its whole, eight bytes a lane. Operands: eight consecutive elements of k.
// CHECK-DAG: #[[ACC:layout[0-9]*]] = #tile.layout<registers = {{\[\[}}0, 1], [0, 2], [0, 8], [0, 16], [0, 32], [32, 0]], lanes = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], waves = {{\[\[}}0, 64], [64, 0]]>
// CHECK-DAG: #[[BIAS:layout[0-9]*]] = #tile.layout<registers = {{\[\[}}1], [2], [8], [16], [32]], lanes = {{\[\[}}0], [0], [0], [0], [0], [4]], waves = {{\[\[}}64], [0]]>
// CHECK-DAG: #[[FROM:layout[0-9]*]] = #tile.layout<registers = {{\[\[}}0, 1], [0, 2], [0, 4], [64, 0]], lanes = {{\[\[}}0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = {{\[\[}}16, 0], [32, 0]]>
// CHECK-DAG: #[[A:layout[0-9]*]] = #tile.layout<registers = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 16], [32, 0]], lanes = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], waves = {{\[\[}}0, 0], [64, 0]]>
// CHECK-DAG: #[[B:layout[0-9]*]] = #tile.layout<registers = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 16], [32, 0]], lanes = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], waves = {{\[\[}}64, 0], [0, 0]]>

// CHECK-LABEL: tile.program @epilogue
// CHECK: scf.for {{.*}} -> (tensor<128x128xf32, #[[ACC]]>)
// CHECK: %[[TA:.*]] = tile.load {{.*}} -> tensor<128x32xbf16, #[[FROM]]>
// CHECK: %[[TB:.*]] = tile.load {{.*}} -> tensor<128x32xbf16, #[[FROM]]>
// CHECK: tile.convert %[[TA]] {{.*}} -> tensor<128x32xbf16, #[[A]]>
// CHECK: tile.convert %[[TB]] {{.*}} -> tensor<128x32xbf16, #[[B]]>
// CHECK: tile.dot {{.*}}{{{instruction = "Mfma32x32x8"}}}
// CHECK: tile.load {{.*}} -> tensor<128xf32, #[[BIAS]]>
// CHECK: tile.broadcast {{.*}} -> tensor<128x128xf32, #[[ACC]]>
// CHECK: tile.load {{.*}} -> tensor<128x128xbf16, #[[ACC]]>
// CHECK-NOT: tile.convert
// CHECK: tile.store {{.*}} tensor<128x128xbf16, #[[ACC]]>
// WIDE-LABEL: tile.program @epilogue
// WIDE: instruction = "Mfma32x32x16"
tile.program @epilogue<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>, %bias: memref<?xf32>, %res: memref<?x?xbf16>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] [%bias: %N] [%res: %M, %N] {
  tile.kernel @epilogue {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 128, %N ceildiv 128] {
        %zero = tile.splat 0.0 [128, 128] : tensor<128x128xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
          %ta = tile.load %a[%m, %k] tile [128, 32] : memref<?x?xbf16> -> tensor<128x32xbf16>
          %tb = tile.load %b[%n, %k] tile [128, 32] : memref<?x?xbf16> -> tensor<128x32xbf16>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<128x32xbf16>, tensor<128x32xbf16>, tensor<128x128xf32>
          scf.yield %next : tensor<128x128xf32>
        }
        %bt = tile.load %bias at (%n) tile [128] : memref<?xf32> -> tensor<128xf32>
        %shift = tile.broadcast %bt dims [1] tile [128, 128] : tensor<128xf32> -> tensor<128x128xf32>
        %x = arith.addf %acc, %shift : tensor<128x128xf32>
        %rest = tile.load %res[%m, %n] tile [128, 128] : memref<?x?xbf16> -> tensor<128x128xbf16>
        %resf = arith.extf %rest : tensor<128x128xbf16> to tensor<128x128xf32>
        %y = arith.addf %x, %resf : tensor<128x128xf32>
        %one = tile.splat 1.0 [128, 128] : tensor<128x128xf32>
        %neg = arith.negf %y : tensor<128x128xf32>
        %exp = math.exp %neg : tensor<128x128xf32>
        %den = arith.addf %one, %exp : tensor<128x128xf32>
        %silu = arith.divf %y, %den : tensor<128x128xf32>
        %out = arith.truncf %silu : tensor<128x128xf32> to tensor<128x128xbf16>
        tile.store %out, %c[%m, %n] : tensor<128x128xbf16>, memref<?x?xbf16>
      }
    }
  }
}

// f16, right operand stored K x N: read transposed.
// CHECK-LABEL: tile.program @f16
// CHECK: instruction = "Mfma32x32x8"
// WIDE-LABEL: tile.program @f16
// WIDE: instruction = "Mfma32x32x16"
tile.program @f16<%M, %N, %K>(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>)
    world 1 extents [%a: %M, %K] [%b: %K, %N] [%c: %M, %N] {
  tile.kernel @f16 {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 128, %N ceildiv 128] {
        %zero = tile.splat 0.0 [128, 128] : tensor<128x128xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
          %ta = tile.load %a[%m, %k] tile [128, 32] : memref<?x?xf16> -> tensor<128x32xf16>
          %tb = tile.load %b[%k, %n] tile [32, 128] : memref<?x?xf16> -> tensor<32x128xf16>
          %next = tile.dot %ta, %tb, %sum : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>
          scf.yield %next : tensor<128x128xf32>
        }
        %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
        tile.store %out, %c[%m, %n] : tensor<128x128xf16>, memref<?x?xf16>
      }
    }
  }
}

// CHECK-LABEL: tile.program @f32
// CHECK: instruction = "Mfma32x32x2"
// WIDE-LABEL: tile.program @f32
// WIDE: instruction = "Mfma32x32x2"
tile.program @f32<%M, %N, %K>(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.kernel @f32 {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 64] {
        %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 16]
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
          %ta = tile.load %a[%m, %k] tile [64, 16] : memref<?x?xf32> -> tensor<64x16xf32>
          %tb = tile.load %b[%n, %k] tile [64, 16] : memref<?x?xf32> -> tensor<64x16xf32>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<64x16xf32>, tensor<64x16xf32>, tensor<64x64xf32>
          scf.yield %next : tensor<64x64xf32>
        }
        tile.store %acc, %c[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
      }
    }
  }
}

// A tile smaller than its waves: the smaller instruction, waves along the columns, and two that compute the same.
// CHECK-LABEL: tile.program @small
// CHECK: instruction = "Mfma16x16x16"
// WIDE-LABEL: tile.program @small
// WIDE: instruction = "Mfma16x16x32"
tile.program @small<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.kernel @small {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 16, %N ceildiv 32] {
        %zero = tile.splat 0.0 [16, 32] : tensor<16x32xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<16x32xf32>) {
          %ta = tile.load %a[%m, %k] tile [16, 32] : memref<?x?xbf16> -> tensor<16x32xbf16>
          %tb = tile.load %b[%n, %k] tile [32, 32] : memref<?x?xbf16> -> tensor<32x32xbf16>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<16x32xbf16>, tensor<32x32xbf16>, tensor<16x32xf32>
          scf.yield %next : tensor<16x32xf32>
        }
        %out = arith.truncf %acc : tensor<16x32xf32> to tensor<16x32xbf16>
        tile.store %out, %c[%m, %n] : tensor<16x32xbf16>, memref<?x?xbf16>
      }
    }
  }
}

// Two dots share the converted left operand.
// CHECK-LABEL: tile.program @two
// CHECK-COUNT-3: tile.convert
// CHECK-NOT: tile.convert
// CHECK: arith.mulf
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
