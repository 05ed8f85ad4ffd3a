// Attention beside a product whose sums are more than its waves hold: two kernels, though the pattern asks for one. With fewer sums, or where no copy
// engine feeds the loop over keys, they are one.
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1 parameters=COLUMNS=256},tile-choose{target=sm_90a pattern=sequential},tile-expand,tile-fuse{target=sm_90a}))' | FileCheck %s --check-prefix=APART
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1 parameters=COLUMNS=64},tile-choose{target=sm_90a pattern=sequential},tile-expand,tile-fuse{target=sm_90a}))' | FileCheck %s --check-prefix=TOGETHER
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1 parameters=COLUMNS=256},tile-choose{target=gfx942 pattern=sequential},tile-expand,tile-fuse{target=gfx942}))' | FileCheck %s --check-prefix=TOGETHER
// APART: tile.kernel @beside_1 {
// APART-NEXT: tile.role @multiply
// APART: tile.kernel @beside_2 {
// APART-NEXT: tile.role @multiply
// TOGETHER: tile.kernel @beside {
// TOGETHER-NEXT: tile.role @multiply
// TOGETHER: tile.role @multiply_2
!tokens = memref<8x?x128xbf16>
tile.program @beside<%T, %M, %N, %K>(%q: !tokens, %k: !tokens, %v: !tokens, %o: !tokens, %a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%q: 8, 64, 128] [%k: 8, %T, 128] [%v: 8, %T, 128] [%o: 8, 64, 128] [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.param @COLUMNS in [64, 256]
  %blocks = tile.extent [%T ceildiv 128]
  tile.forall (%h) in [8] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %qt = tile.load %q[%h, %c0, %c0] tile [64, 128] : !tokens -> tensor<64x128xbf16>
    %zero = tile.splat 0.0 [64, 128] : tensor<64x128xf32>
    %acc = scf.for %n = %c0 to %blocks step %c1 iter_args(%a0 = %zero) -> (tensor<64x128xf32>) {
      %kt = tile.load %k[%h, %n, %c0] tile [128, 128] : !tokens -> tensor<128x128xbf16>
      %vt = tile.load %v[%h, %n, %c0] tile [128, 128] : !tokens -> tensor<128x128xbf16>
      %dots = tile.dot %qt, transpose %kt, %zero : tensor<64x128xbf16>, tensor<128x128xbf16>, tensor<64x128xf32>
      %weights = arith.truncf %dots : tensor<64x128xf32> to tensor<64x128xbf16>
      %a1 = tile.dot %weights, %vt, %a0 : tensor<64x128xbf16>, tensor<128x128xbf16>, tensor<64x128xf32>
      scf.yield %a1 : tensor<64x128xf32>
    }
    %out = arith.truncf %acc : tensor<64x128xf32> to tensor<64x128xbf16>
    tile.store %out, %o[%h, %c0, %c0] : tensor<64x128xbf16>, !tokens
  }
  tile.matmul %a, transpose %b into %c tiles [128, @COLUMNS, 64] : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
}
