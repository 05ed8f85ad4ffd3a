// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix \
// RUN:   --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2 extents=lda=80}))' | FileCheck %s
// RUN: not tilec-opt %s --keep-names \
// RUN:   --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2 extents=lda=63}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LESS

// A pitch is bound as other extents are; a contiguous argument stays one.
// LESS: error: elements of 'memref<?x64xf32, strided<[?, 1]>>' share memory: dimension 0 has stride 63, the dimensions inside it reach over 64
// CHECK: tile.program @pitch<%M, %lda>(%a: memref<?x64xf32, strided<[?, 1]>>, %b: memref<?x64xf32, strided<[?, 1]>>, %c: memref<?xf32>)
// CHECK-SAME: extents [%a: %M, 64 strides 80, 1] [%b: %M, 64 strides 160, 1] [%c: %M]
tile.program @pitch<%M, %lda>(%a: memref<?x64xf32, strided<[?, 1]>>, %b: memref<?x64xf32, strided<[?, 1]>>, %c: memref<?xf32>)
    extents [%a: %M, 64 strides %lda, 1] [%b: %M, 64 strides W * %lda, 1] [%c: %M] {
}
