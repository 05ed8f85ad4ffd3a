// Swizzled head-first attention (arXiv 2511.02132, figure 11), as printed, at batch 2: the batch divides the number of
// the workgroup twice, so that half of the work is never done. 16 heads of 4 blocks, 8 chiplets.
// RUN: %broken > %t.mlir && not tilec verify %t.mlir 2>&1 | FileCheck %s
// RUN: tilec verify %s
// RUN: tilec run %s %adversarial
// RUN: not tilec run --no-verify %t.mlir %adversarial 2>&1 | FileCheck %s --check-prefix=EMULATED
// CHECK: error: order #tile.mapped<{{.*}}> is no bijection of 128 tasks: task {{.*}} is lost, task {{.*}} is drawn twice
// EMULATED: race: {{.*}} bytes of %b
tile.program @copy(%a: memref<2x16x16xf32>, %b: memref<2x16x16xf32>) world 1 {
  tile.kernel @k {
    tile.role @copy {
      tile.forall (%batch, %head, %block) in [2, 16, 4] order [#tile.mapped<(d0) -> (d0 floordiv 64, (d0 mod 64 mod 8) * 2 + (d0 mod 64) floordiv 32, (d0 mod 32) floordiv 8)>] { // repaired
      // broken: tile.forall (%batch, %head, %block) in [2, 16, 4] order [#tile.mapped<(d0) -> ((d0 floordiv 64) mod 2, ((d0 floordiv 2) mod 8) * 2 + (d0 floordiv 2) floordiv 32, ((d0 floordiv 2) mod 32) floordiv 8)>] {
        %t = tile.load %a[%batch, %head, %block] tile [4] : memref<2x16x16xf32> -> tensor<4xf32>
        tile.store %t, %b[%batch, %head, %block] : tensor<4xf32>, memref<2x16x16xf32>
      }
    }
  }
}
