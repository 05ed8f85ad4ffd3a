// RUN: tilec %s --emit=hip | FileCheck %s
// RUN: tilec %s --emit=hip --extent lda=96 | FileCheck %s --check-prefix=BOUND
// RUN: tilec %s --emit=header | FileCheck %s --check-prefix=HEADER
// RUN: tilec %s --emit=manifest | FileCheck %s --check-prefix=MANIFEST
// RUN: rm -rf %t && tilec %s -o %t && tilec verify --manifest %t/strided.json
// RUN: python3 %S/schema.py %source/docs/manifest.schema.json %t/strided.json
// Strides are part of what the second checker compares.
// RUN: tilec %s --until prepare > %t.hip.mlir && tilec-opt %t.hip.mlir --tile-check -o /dev/null
// RUN: sed '/= hip.view %%a/s/%%lda_4/%%M_3/' %t.hip.mlir | not tilec-opt --tile-check -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: sed '/= hip.view %%a/s/%%lda_4/%%c64/' %t.hip.mlir | not tilec-opt --tile-check -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: sed '/= hip.view %%b/s/%%c1_[0-9]*, %%\([0-9]*\) /%%M_3, %%\1 /' %t.hip.mlir | not tilec-opt --tile-check -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: 'hip.load' op has strides that are not those of the buffer that it views
// An argument that is not strided says so by saying nothing.
// MANIFEST: "name": "a"
// MANIFEST: "shape": [
// MANIFEST-NEXT: "M",
// MANIFEST-NEXT: 64
// MANIFEST-NEXT: ],
// MANIFEST-NEXT: "strides": [
// MANIFEST-NEXT: "lda",
// MANIFEST-NEXT: 1
// MANIFEST-NEXT: ],
// MANIFEST-NEXT: "symmetric": false,
// MANIFEST: "name": "c"
// MANIFEST-NOT: "strides"
// HEADER: a: f32 [M, 64], strides [lda, 1]
// HEADER: b: f32 [M, 64], strides [1, M * 2 + 4]
// HEADER: c: f32 [M, 64]{{$}}
// HEADER: Extents, in this order: M lda
// CHECK: int lda
// CHECK: tilec::view(a, {M, 64}, {lda, 1})
// BOUND: tilec::view(a, {M, 64}, {96, 1})
tile.program @strided<%M, %lda>(%a: memref<?x64xf32, strided<[?, 1]>>, %b: memref<?x64xf32, strided<[1, ?]>>, %c: memref<?x64xf32>) world 1
    extents [%a: %M, 64 strides %lda, 1] [%b: %M, 64 strides 1, 2 * %M + 4] [%c: %M, 64] {
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %x = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32, strided<[?, 1]>> -> tensor<32x32xf32>
    %y = tile.load %b[%m, %n] tile [32, 32] : memref<?x64xf32, strided<[1, ?]>> -> tensor<32x32xf32>
    %z = arith.addf %x, %y : tensor<32x32xf32>
    tile.store %z, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}
