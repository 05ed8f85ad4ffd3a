// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix \
// RUN:   --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2 extents=M=200,K=64}))' | FileCheck %s
// RUN: not tilec-opt %s --keep-names \
// RUN:   --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2 extents=Q=1}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN

// An extent is bound by the author's name for it; shapes, sizes and bounds that depend on it become numbers.
// UNKNOWN: error: unknown extent 'Q'
// CHECK-LABEL: tile.program @extents_by_name<%M, %N, %K>
// CHECK-SAME: extents [%a: 200, 64] [%b: 400, %N]
// CHECK: %scratch = tile.alloc [400, 64]
// CHECK: tile.forall (%m) in [4]
tile.program @extents_by_name<%M, %N, %K>(%a: memref<?x?xf32>, %b: memref<?x?xf32>)
    extents [%a: %M, %K] [%b: W * %M, %N] {
  %scratch = tile.alloc [W * %M, %K] : memref<?x?xf32>
  tile.forall (%m) in [%M ceildiv 64] {
    %zero = arith.constant 0 : index
    %t = tile.load %a[%m, %zero] tile [64, 64] : memref<?x?xf32> -> tensor<64x64xf32>
    tile.store %t, %scratch[%m, %zero] : tensor<64x64xf32>, memref<?x?xf32>
  }
}
