// Passes on the program of another stage said something untrue of it: `has no statements`, a redefinition.
// RUN: not tilec-opt --tile-fuse %examples/04_all_gather_matmul/all_gather_matmul.mlir 2>&1 | FileCheck %s --check-prefix=FUSE
// RUN: not tilec-opt --tile-fuse %examples/03_matmul/matmul.mlir 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: not tilec-opt --tile-fuse %s 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: tilec %s --world 2 --until=lower > %t.mlir && not tilec-opt --tile-lower %t.mlir 2>&1 | FileCheck %s --check-prefix=LOWER
// FUSE: all_gather_matmul.mlir:5:3: error: 'tile.all_gather' op is not expanded: run tile-expand first
// PRODUCT: error: 'tile.matmul' op is not expanded: run tile-expand first
// LOOP: error: 'tile.forall' op is not expanded: run tile-expand first
// LOWER: error: 'hip.launcher' op stands in the program: it is lowered already
tile.program @copy(%a: memref<64x64xf32>, %b: memref<64x64xf32>) {
  tile.forall (%m, %n) over %b tiles [64, 64] : memref<64x64xf32> {
    %t = tile.load %a[%m, %n] tile [64, 64] : memref<64x64xf32> -> tensor<64x64xf32>
    tile.store %t, %b[%m, %n] : tensor<64x64xf32>, memref<64x64xf32>
  }
}
