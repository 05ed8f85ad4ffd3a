// The XCD remap as Iris, Triton-distributed and many others write it: of 300 tiles on 8 chiplets it drops four.
// RUN: %broken > %t.mlir && not tilec verify %t.mlir 2>&1 | FileCheck %s
// RUN: tilec verify %s
// RUN: tilec run %s %adversarial
// RUN: not tilec run --no-verify %t.mlir %adversarial 2>&1 | FileCheck %s --check-prefix=EMULATED
// CHECK: error: order #tile.mapped<(d0) -> ((d0 mod 8) * 37 + d0 floordiv 8)> is no bijection of 300 tasks: task (296) is lost, task (148) is drawn twice
// EMULATED: race: {{.*}} bytes of %b
tile.program @copy(%a: memref<1200xf32>, %b: memref<1200xf32>) world 1 {
  tile.kernel @k {
    tile.role @copy {
      tile.forall (%i) in [300] order [#tile.remap<8>] { // repaired
      // broken: tile.forall (%i) in [300] order [#tile.mapped<(d0) -> ((d0 mod 8) * 37 + d0 floordiv 8)>] {
        %t = tile.load %a[%i] tile [4] : memref<1200xf32> -> tensor<4xf32>
        tile.store %t, %b[%i] : tensor<4xf32>, memref<1200xf32>
      }
    }
  }
}
