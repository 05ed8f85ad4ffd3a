// SwizzlePerf's final map for a two-dimensional stencil: every task of a row of tiles draws the same tile. 16 x 16
// tiles.
// RUN: %broken > %t.mlir && not tilec verify %t.mlir 2>&1 | FileCheck %s
// RUN: tilec verify %s
// RUN: tilec run %s %adversarial
// RUN: not tilec run --no-verify %t.mlir %adversarial 2>&1 | FileCheck %s --check-prefix=EMULATED
// CHECK: error: order #tile.mapped<{{.*}}> is no bijection of 256 tasks: task (16) is lost, task (15) is drawn twice
// EMULATED: race: {{.*}} bytes of %b
tile.program @copy(%a: memref<1024xf32>, %b: memref<1024xf32>) world 1 {
  tile.kernel @k {
    tile.role @copy {
      tile.forall (%i) in [256] order [#tile.remap<8>] { // repaired
      // broken: tile.forall (%i) in [256] order [#tile.mapped<(d0) -> ((d0 floordiv 128) * 8 + (d0 floordiv 16) mod 8)>] {
        %t = tile.load %a[%i] tile [4] : memref<1024xf32> -> tensor<4xf32>
        tile.store %t, %b[%i] : tensor<4xf32>, memref<1024xf32>
      }
    }
  }
}
