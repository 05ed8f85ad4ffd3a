// Tiles behind the first so many are shared: tasks are numbered, whole tiles first, then the parts of the others.
// RUN: rm -rf %t && split-file %s %t
// DEFINE: %{expand} = tilec --world 1 --target sm_90a --until=expand
// RUN: %{expand} %t/product.mlir --extent M=600,N=256,K=1096 | FileCheck %s
// 5 rows of 2 tiles, of which 6 are whole; 18 steps of which each part has 6.
// CHECK: %[[PARTS:.*]] = tile.alloc [3, 4, 128, 128] : memref<3x4x128x128xf32>
// CHECK: %[[WORDS:.*]] = tile.signals [4] : <1>
// CHECK: tile.forall (%[[NUMBER:.*]]) in [18]
// CHECK: %[[IS_PART:.*]] = arith.cmpi sge, %[[NUMBER]], %{{.*}} : index
// CHECK: %[[PART:.*]] = arith.divsi %{{.*}}, %c4
// CHECK: %[[SHARED:.*]] = arith.remsi %{{.*}}, %c4
// CHECK: %[[TILE:.*]] = arith.select %[[IS_PART]], %{{.*}}, %[[NUMBER]] : index
// CHECK: arith.divsi %{{.*}}, %{{.*}} : index
// CHECK: %[[FIRST:.*]] = arith.minsi
// CHECK: %[[STEPS:.*]] = arith.select %[[IS_PART]], %{{.*}}, %{{.*}} : index
// CHECK: %[[SUMS:.*]] = scf.for %[[K:.*]] = %{{.*}} to %[[STEPS]]
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[FIRST]], %[[K]] : index
// CHECK-NEXT: tile.load %a [%{{.*}}, %[[AT]]]
// CHECK: scf.if %[[IS_PART]] {
// CHECK: %[[STORED:.*]] = tile.store %[[SUMS]], %[[PARTS]] [%[[PART]], %[[SHARED]], %{{.*}}, %{{.*}}]
// CHECK: %[[LAST:.*]], %[[ALL:.*]] = tile.arrive %[[WORDS]][%[[SHARED]]] of %{{.*}} publishes %[[STORED]]
// CHECK: scf.if %[[LAST]] {
// CHECK: scf.for %[[PIECE:.*]] = %{{.*}} to %c4{{.*}} step
// CHECK-COUNT-3: tile.load %[[PARTS]] [{{.*}}] tile [128, 32] after %[[ALL]]
// CHECK: tile.store %{{.*}}, %c [{{.*}}] : tensor<128x32xbf16>
// CHECK: } else {
// CHECK: tile.store %{{.*}}, %c [{{.*}}] : tensor<128x128xbf16>
// What follows from a launch alone, is no more than there is, or has another statement beside it.
// RUN: not %{expand} %t/product.mlir --extent N=256,K=1096 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: product.mlir:3:3: error: 'tile.matmul' op splits the tiles behind 6 of a number that is known at launch alone, expected extents that are given, or a 'split' of all tiles
// RUN: not %{expand} %t/product.mlir --extent M=300,N=256,K=1096 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: error: 'tile.matmul' op splits the tiles behind 6, expected fewer than the 6 that there are
// RUN: not %{expand} %t/used.mlir --extent M=600 2>&1 | FileCheck %s --check-prefix=USED
// USED: used.mlir:4:3: error: 'tile.matmul' op splits its last tiles, expected a 'split' of all of them beside other statements: no pass finds what these wait for
// USED: used.mlir:5:3: note: because of this
// A view is no statement.
// RUN: %{expand} %t/view.mlir --extent M=600 | FileCheck %s --check-prefix=VIEW
// VIEW: tile.arrive
//--- product.mlir
tile.program @product<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.matmul %a, transpose %b into %c tiles [128, 128, 64] split 3 behind 6 : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
}
//--- used.mlir
tile.program @used<%M>(%a: memref<?x512xbf16>, %b: memref<256x512xbf16>, %c: memref<?x256xbf16>, %d: memref<?x512xbf16>)
    extents [%a: %M, 512] [%c: %M, 256] [%d: %M, 512] {
  // The next product would wait for tiles.
  tile.matmul %a, transpose %b into %c tiles [128, 128, 64] split 2 behind 6 : memref<?x512xbf16>, memref<256x512xbf16>, memref<?x256xbf16>
  tile.matmul %c, %b into %d tiles [64, 64, 64] : memref<?x256xbf16>, memref<256x512xbf16>, memref<?x512xbf16>
}
//--- view.mlir
tile.program @view<%M>(%a: memref<?x512xbf16>, %b: memref<256x512xbf16>, %c: memref<?x512xbf16>) extents [%a: %M, 512] [%c: %M, 512] {
  %half = memref.subview %c[0, 256] [%M, 256] [1, 1] : memref<?x512xbf16> to memref<?x256xbf16, strided<[512, 1], offset: 256>>
  tile.matmul %a, transpose %b into %half tiles [128, 128, 64] split 2 behind 6 : memref<?x512xbf16>, memref<256x512xbf16>, memref<?x256xbf16, strided<[512, 1], offset: 256>>
}
