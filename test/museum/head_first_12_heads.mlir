// The same formula at batch 1 with 12 heads, which 8 chiplets do not divide: 71 % of the work is done.
// RUN: %broken > %t.mlir && not tilec verify %t.mlir 2>&1 | FileCheck %s
// RUN: tilec verify %s
// RUN: tilec run %s %adversarial
// RUN: not tilec run --no-verify %t.mlir %adversarial 2>&1 | FileCheck %s --check-prefix=EMULATED
// CHECK: error: order #tile.mapped<{{.*}}> is no bijection of 48 tasks: task {{.*}} is lost, task {{.*}} is drawn twice
// EMULATED: race: {{.*}} bytes of %b
tile.program @copy(%a: memref<1x12x16xf32>, %b: memref<1x12x16xf32>) world 1 {
  tile.kernel @k {
    tile.role @copy {
      tile.forall (%batch, %head, %block) in [1, 12, 4] order [#tile.remap<8>] { // repaired
      // broken: tile.forall (%batch, %head, %block) in [1, 12, 4] order [#tile.mapped<(d0) -> (0, d0 mod 8 + d0 floordiv 32, (d0 mod 32) floordiv 8)>] {
        %t = tile.load %a[%batch, %head, %block] tile [4] : memref<1x12x16xf32> -> tensor<4xf32>
        tile.store %t, %b[%batch, %head, %block] : tensor<4xf32>, memref<1x12x16xf32>
      }
    }
  }
}
