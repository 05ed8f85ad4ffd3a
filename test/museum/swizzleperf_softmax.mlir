// SwizzlePerf's final map for softmax writes 64 rows, whatever their number; its cache hit rate of 99.9 % is that of
// not doing the work.
// RUN: %broken > %t.mlir && not tilec verify %t.mlir 2>&1 | FileCheck %s
// RUN: tilec verify %s
// RUN: tilec run %s %adversarial
// RUN: not tilec run --no-verify %t.mlir %adversarial 2>&1 | FileCheck %s --check-prefix=EMULATED
// CHECK: error: order #tile.mapped<{{.*}}> is no bijection of 512 tasks: task (8) is lost, task {{.*}} is drawn twice
// EMULATED: race: {{.*}} bytes of %b
tile.program @copy(%a: memref<2048xf32>, %b: memref<2048xf32>) world 1 {
  tile.kernel @k {
    tile.role @copy {
      tile.forall (%i) in [512] order [#tile.mapped<(d0) -> ((d0 mod 8) * 64 + d0 floordiv 8)>] { // repaired
      // broken: tile.forall (%i) in [512] order [#tile.mapped<(d0) -> (((d0 floordiv 8) mod 8) * 64 + d0 mod 8)>] {
        %t = tile.load %a[%i] tile [4] : memref<2048xf32> -> tensor<4xf32>
        tile.store %t, %b[%i] : tensor<4xf32>, memref<2048xf32>
      }
    }
  }
}
