// Products of few rows: operands change places where a matrix instruction has more rows than the product, and the depth is split where there
// are fewer tiles than compute units.
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1 target=gfx942}))' | FileCheck %s --check-prefixes=GFX942
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1 target=sm_90a}))' | FileCheck %s --check-prefixes=SM90

// 32 tiles for 304 compute units and for 132, tile and parts chosen together.
// GFX942-LABEL: @rows
// GFX942: tile.matmul {{.*}} tiles [32, 64, 64] split 8 :
// SM90-LABEL: @rows
// SM90: tile.matmul {{.*}} tiles [16, 64, 64] swapped split 4 :
tile.program @rows<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] where %M == 16, %N == 2048, %K == 8192 {
  tile.matmul %a, transpose %b into %c : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
}

// A right operand that lies K x N is a left one then whose depth runs down the rows.
// SM90-LABEL: @across
// SM90: tile.matmul {{.*}} tiles [16, 64, 64] swapped split 4 :
tile.program @across<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %K, %N] [%c: %M, %N] where %M == 16, %N == 2048, %K == 8192 {
  tile.matmul %a, %b into %c : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
}
// Rows of a left one whose depth runs down them are taken in whole panels.
// SM90-LABEL: @gradient
// SM90: tile.matmul transpose {{.*}} tiles [64, 64, 64] split 4 :
tile.program @gradient<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %K, %M] [%b: %K, %N] [%c: %M, %N] where %M == 16, %N == 2048, %K == 8192 {
  tile.matmul transpose %a, %b into %c : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
}

// How many tiles there are is not known, or are enough.
// GFX942-LABEL: @open
// GFX942: tile.matmul {{.*}} tiles [{{[0-9]+, [0-9]+, [0-9]+}}] :
// SM90-LABEL: @open
// SM90: tile.matmul {{.*}} tiles [{{[0-9]+, [0-9]+, [0-9]+}}] :
tile.program @open<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] where %N == 4096, %K == 8192 {
  tile.matmul %a, transpose %b into %c : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
}
// GFX942-LABEL: @many
// GFX942: tile.matmul {{.*}} tiles [{{[0-9]+, [0-9]+, [0-9]+}}] :
// SM90-LABEL: @many
// SM90: tile.matmul {{.*}} tiles [{{[0-9]+, [0-9]+, [0-9]+}}] :
tile.program @many<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] where %M == 4096, %N == 4096, %K == 8192 {
  tile.matmul %a, transpose %b into %c : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
}

// What a collective sends may go from the registers of the product's tasks.
// GFX942-LABEL: @sent
// GFX942: tile.matmul {{.*}} tiles [{{[0-9]+, [0-9]+, [0-9]+}}] :
tile.program @sent<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16, #tile.symmetric>, %d: memref<?x?xbf16, #tile.symmetric>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] [%d: W * %M, %N] where %M == 16, %N == 2048, %K == 8192 {
  tile.matmul %a, transpose %b into %c : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16, #tile.symmetric>
  tile.all_gather %c into %d dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
}
