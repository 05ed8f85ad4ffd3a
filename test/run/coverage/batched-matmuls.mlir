// RUN: tilec run %s --world 1 --extents-from 3,20,70 --launches 2
// RUN: %if full %{ sed "s/bf16/f16/g" %s > %t.mlir && tilec run %t.mlir --world 1 --target gfx950 --extent B=2 %}
// RUN: tilec run %s --world 2 --target sm_90a --extent B=3,M=70,N=40,K=72 --race --skewed
// RUN: tilec %s --world 1 --target sm_90a --emit=hip | FileCheck %s --check-prefix=HOPPER
// RUN: tilec %s --world 1 --emit=hip --extent M=256,N=256,K=256 | FileCheck %s

// The same loops as those of one product: slots that waves fill, or a copy engine; the matrix is the first index of a task.
// CHECK: tilec::places(
// HOPPER: tilec::mapped_feed<{{.*}}>({{.*}}, {{[{]}}outer, m * 128, 0},
// HOPPER: tilec::stream

// Products side by side: of matrices that lie so on both sides, with an epilogue that knows its number; of many with one; of
// two leading dimensions.
tile.program @batched<%B, %M, %N, %K>(%a: memref<?x?x?xbf16>, %b: memref<?x?x?xbf16>, %bias: memref<?x?xf32>, %w: memref<?x?xbf16>, %c: memref<?x?x?xbf16>, %d: memref<?x?x?xf32>, %q: memref<?x2x?x?xbf16>, %k: memref<?x2x?x?xbf16>, %s: memref<?x2x?x?xf32>)
    extents [%a: %B, %M, %K] [%b: %B, %N, %K] [%bias: %B, %N] [%w: %K, %N] [%c: %B, %M, %N] [%d: %B, %M, %N]
            [%q: %B, 2, %M, %K] [%k: %B, 2, %N, %K] [%s: %B, 2, %M, %N] {
  tile.matmul %a, transpose %b into %c tiles [64, 64, 32] : memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xbf16>
      epilogue (%matrix, %row, %col, %acc: tensor<64x64xf32>) {
    %line = tile.load %bias at (%matrix, %col) tile [64] : memref<?x?xf32> -> tensor<64xf32>
    %lines = tile.broadcast %line dims [1] tile [64, 64] : tensor<64xf32> -> tensor<64x64xf32>
    %sum = arith.addf %acc, %lines : tensor<64x64xf32>
    %out = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.yield %out : tensor<64x64xbf16>
  }
  tile.matmul %a, %w into %d : memref<?x?x?xbf16>, memref<?x?xbf16>, memref<?x?x?xf32>
  tile.matmul %q, transpose %k into %s : memref<?x2x?x?xbf16>, memref<?x2x?x?xbf16>, memref<?x2x?x?xf32>
}
