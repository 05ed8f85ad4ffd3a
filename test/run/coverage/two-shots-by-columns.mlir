// Sums of few rows, of which each rank adds a block of columns: two right-hand sides, one that lies K x N, and an epilogue that asks for its columns.
// RUN: for w in 2 4; do tilec verify %s --world $w --pattern sequential-push-two-shot --extent M=20,N=256,K=72 || exit 1; done
// RUN: for target in $(%some sm_90a gfx942 gfx950); do tilec run %s --world 4 --target $target --pattern sequential-push-two-shot --extent M=20,N=256,K=72 --race --memory weak --shuffle --launches 2 || exit 1; done
// RUN: tilec run %s --world 3 --target gfx942 --pattern sequential-push-two-shot --extent M=20,N=264,K=72
// RUN: tilec %s --world 4 --pattern sequential-push-two-shot --extent M=20,N=256,K=72 --until=expand | FileCheck %s
// CHECK: tile.forall (%shard, %m, %n) in [4, 1, 1]
// CHECK-DAG: memref.subview %b[%{{.*}}, 0] [64, 72]
// CHECK-DAG: memref.subview %d[0, %{{.*}}] [72, 64]
// CHECK: arith.addi %{{.*}}, %{{.*}} : index
!m = memref<?x?xbf16>
!s = memref<?x?xbf16, #tile.symmetric>
tile.program @columns<%M, %N, %K>(%a: !m, %b: !m, %d: !m, %bias: memref<?xf32>, %c: !s)
    extents [%a: %M, %K] [%b: %N, %K] [%d: %K, %N] [%bias: %N] [%c: %M, %N] {
  %part = tile.alloc [%M, %N] : !s
  tile.matmul %a, transpose %b, %d into %part tiles [32, 64, 32] : !m, !m, !m, !s
      epilogue (%row, %col, %x: tensor<32x64xf32>, %y: tensor<32x64xf32>) {
    %t = tile.load %bias at (%col) tile [64] : memref<?xf32> -> tensor<64xf32>
    %u = tile.broadcast %t dims [1] tile [32, 64] : tensor<64xf32> -> tensor<32x64xf32>
    %z = arith.mulf %x, %y : tensor<32x64xf32>
    %v = arith.addf %z, %u : tensor<32x64xf32>
    %out = arith.truncf %v : tensor<32x64xf32> to tensor<32x64xbf16>
    tile.yield %out : tensor<32x64xbf16>
  }
  tile.all_reduce %part into %c : !s, !s
}
