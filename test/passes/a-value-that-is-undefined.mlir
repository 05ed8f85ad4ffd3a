// `schedule` carries registers that steps write before they read them; elsewhere a tile has a value.
// RUN: not tilec %s --emit=hip 2>&1 | FileCheck %s
tile.program @undefined(%a: memref<64xf32>) world 1 {
  tile.forall (%i) in [1] {
    // CHECK: a-value-that-is-undefined.mlir:[[#@LINE+1]]:10: error: 'ub.poison' op is used as a value, expected registers that a 'tile.stream' carries
    %x = ub.poison : tensor<64xf32>
    tile.store %x, %a[%i] : tensor<64xf32>, memref<64xf32>
  }
}
