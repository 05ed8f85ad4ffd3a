// Sizes of a product's tiles that are left open are chosen for the target; what is given or has a default stays.
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1 target=gfx942}))' | FileCheck %s --check-prefixes=CHECK,GFX942
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1 target=gfx950}))' | FileCheck %s --check-prefixes=CHECK,GFX950
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1 target=gfx950 parameters=BK=16}))' | FileCheck %s --check-prefix=GIVEN
// RUN: not tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1 target=gfx000}))' 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK-LABEL: tile.program @open
// GFX942-SAME: parameters = {BK = 32 : i64, BM = 128 : i64, BN = 128 : i64}
// GFX950-SAME: parameters = {BK = 64 : i64, BM = 128 : i64, BN = 128 : i64}
// GIVEN: parameters = {BK = 16 : i64
// UNKNOWN: target 'gfx000'
tile.program @open<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.matmul %a, transpose %b into %c : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
}

// A default is the author's choice; the other sizes suit it.
// CHECK-LABEL: tile.program @preferred
// CHECK-SAME: parameters = {BK = 64 : i64, BM = 64 : i64, BN = 64 : i64}
tile.program @preferred<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.param @BM in [64, 128] default 64
  tile.param @BN in [64, 128] default 64
  tile.param @BK in [16, 64]
  tile.matmul %a, transpose %b into %c tiles [@BM, @BN, @BK] : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
}

// Few rows make a low tile, and no depth is wasted.
// CHECK-LABEL: tile.program @rows
// GFX942-SAME: parameters = {BK = 64 : i64, BM = 32 : i64, BN = 128 : i64}
// GFX950-SAME: parameters = {BK = 64 : i64, BM = 32 : i64, BN = 64 : i64}
tile.program @rows(%a: memref<16x4096xbf16>, %b: memref<3584x4096xbf16>, %c: memref<16x3584xbf16>) {
  tile.matmul %a, transpose %b into %c : memref<16x4096xbf16>, memref<3584x4096xbf16>, memref<16x3584xbf16>
}
