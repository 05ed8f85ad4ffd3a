// RUN: tilec-opt %s --keep-names --tile-verify | FileCheck %s
// RUN: tilec-opt %s --keep-names --pass-pipeline='builtin.module(tile.program(tile-verify{extents=M=40/N=90,M=3/lda=80}))' | FileCheck %s --check-prefix=GIVEN
// RUN: not tilec-opt %s --keep-names --pass-pipeline='builtin.module(tile.program(tile-verify{extents=M=40/N=90/lda=89}))' 2>&1 | FileCheck %s --check-prefix=LESS
// RUN: not tilec-opt %s --keep-names --pass-pipeline='builtin.module(tile.program(tile-verify{extents=N=101}))' 2>&1 | FileCheck %s --check-prefix=FIXED

// Samples move until elements lie apart: no row of %b is longer than 100 where there are two, a pitch leaves a gap. No task depends on the
// pitch: samples are told apart without it.
// CHECK: verified = #tile.verified<launches = 3, samples = {{\[\[}}200, 40, 48], [40, 100, 112], [128, 1, 16], [1, 200, 208]
// GIVEN: samples = {{\[\[}}40, 90, 104], [3, 80, 80]]
// LESS: error: elements share memory: dimension 0 has stride 89, expected at least 90, as many as the dimensions inside it reach over
// LESS: note: in a launch with M = 40, N = 90, lda = 89
// FIXED: error: elements share memory: dimension 0 has stride 100, expected at least 101, as many as the dimensions inside it reach over
tile.program @pitch<%M, %N, %lda>(%a: memref<?x?xf32, strided<[?, 1]>>, %b: memref<?x?xf32, strided<[100, 1]>>) world 1
    extents [%a: %M, %N strides %lda, 1] [%b: %M, %N] {
  tile.kernel @k {
    tile.role @copy {
      tile.forall (%m, %n) over %a tiles [32, 32] : memref<?x?xf32, strided<[?, 1]>> {
        %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x?xf32, strided<[?, 1]>> -> tensor<32x32xf32>
        tile.store %t, %b[%m, %n] : tensor<32x32xf32>, memref<?x?xf32, strided<[100, 1]>>
      }
    }
  }
}
