// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=4 parameters=BM=32}))' | FileCheck %s

// W and the parameter become numbers; tiles become static; the choice is recorded.
// CHECK-LABEL: tile.program @world_and_parameter<%{{.*}}>
// CHECK-SAME: world 4 extents [%{{.*}}: %{{.*}} * 4, 256] [%{{.*}}: %{{.*}} * 4, 256]
// CHECK-SAME: parameters = {BM = 32 : i64}
// CHECK-NOT: tile.param
// CHECK: tile.forall (%{{.*}}, %{{.*}}) over %{{.*}} tiles [32, 64]
// CHECK: tile.load %{{.*}} tile [32, 64] : memref<?x256xf32> -> tensor<32x64xf32>
tile.program @world_and_parameter<%M>(%a: memref<?x256xf32>, %b: memref<?x256xf32>)
    extents [%a: W * %M, 256] [%b: W * %M, 256] {
  tile.param @BM in [32, 64]
  tile.forall (%m, %n) over %b tiles [@BM, 64] : memref<?x256xf32> {
    %t = tile.load %a[%m, %n] tile [@BM, 64] : memref<?x256xf32> -> tensor<?x64xf32>
    tile.store %t, %b[%m, %n] : tensor<?x64xf32>, memref<?x256xf32>
  }
}
