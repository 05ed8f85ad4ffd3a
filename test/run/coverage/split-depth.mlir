// A product whose depth is split: parts of whole tiles, a short last one, parts without columns; two right-hand sides, one that lies K x N, and
// an epilogue; tiles made as those of the transpose.
// RUN: for k in $(%some 712 768 40); do tilec run %s --world 1 --target gfx942 --extent M=40,N=136,K=$k || exit 1; done
// RUN: for target in $(%some sm_90a gfx950); do tilec run %s --world 1 --target $target --extent M=40,N=136,K=712 || exit 1; done
// In one kernel, whose tasks wait for the parts that others make.
// RUN: for target in $(%some sm_90a gfx942); do tilec run %s --world 1 --target $target --pattern sequential --extent M=40,N=136,K=264 --race --memory weak --shuffle --launches 3 --seeds 2 || exit 1; done
// RUN: tilec verify %s --world 1 --pattern sequential
// RUN: tilec verify %s --world 2 --pattern specialized
// Parts are added in their order, from the first on.
// RUN: tilec %s --world 1 --pattern sequential --until=waits | FileCheck %s
// CHECK: tile.store %{{.*}}, %parts [%part, %m, %n]
// CHECK-NEXT: tile.signal agent %multiply_done[%part, %m, %n]
// CHECK: [[FIRST:%[0-9]+]] = tile.load %parts [%c0, %m, %n]
// CHECK: [[SECOND:%[0-9]+]] = tile.load %parts [%c1, %m, %n]
// CHECK: [[THIRD:%[0-9]+]] = tile.load %parts [%c2, %m, %n]
// CHECK-NEXT: [[SUM:%[0-9]+]] = arith.addf [[FIRST]], [[SECOND]]
// CHECK-NEXT: arith.addf [[SUM]], [[THIRD]]
// More than eight are added one after the other: registers do not hold them all.
// RUN: sed 's/split 3/split 9/' %s > %t.nine.mlir && tilec %t.nine.mlir --world 1 --pattern sequential --until=waits | FileCheck %s --check-prefix=NINE
// RUN: %if full %{ tilec run %t.nine.mlir --world 1 --target gfx942 --extent M=40,N=136,K=712 %}
// NINE: scf.for %part = %c0 to %c9 step %c1 iter_args([[SUM:%[a-z0-9]+]] =
// NINE-NEXT: [[NEXT:%[0-9]+]] = tile.load %parts [%part, %m, %n]
// NINE-NEXT: [[ADDED:%[0-9]+]] = arith.addf [[SUM]], [[NEXT]]
// NINE-NEXT: scf.yield [[ADDED]]

!m = memref<?x?xbf16>
tile.program @split<%M, %N, %K>(%a: !m, %b: !m, %d: !m, %c: !m, %e: !m, %i: memref<?x?xi8>, %j: memref<?x?xi8>, %s: memref<?x?xi32>)
    extents [%a: %M, %K] [%b: %N, %K] [%d: %K, %N] [%c: %M, %N] [%e: %M, %N] [%i: %M, %K] [%j: %N, %K] [%s: %M, %N] {
  tile.matmul %a, transpose %b into %c tiles [16, 64, 64] swapped split 3 : !m, !m, !m
  tile.matmul %a, transpose %b, %d into %e tiles [32, 64, 32] split 4 : !m, !m, !m, !m
      epilogue (%row, %col, %x: tensor<32x64xf32>, %y: tensor<32x64xf32>) {
    %z = arith.subf %x, %y : tensor<32x64xf32>
    %out = arith.truncf %z : tensor<32x64xf32> to tensor<32x64xbf16>
    tile.yield %out : tensor<32x64xbf16>
  }
  tile.matmul %i, transpose %j into %s tiles [32, 64, 64] split 2 : memref<?x?xi8>, memref<?x?xi8>, memref<?x?xi32>
}
