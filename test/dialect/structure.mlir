// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix | tilec-opt --mlir-use-nameloc-as-prefix --keep-names | FileCheck %s

// Every structure op prints as it was written, twice over.
// CHECK: tile.program @structure<%M>(%a: memref<?x64xf32, #tile.symmetric>, %b: memref<?x64xf32>) world 4
// CHECK-SAME: extents [%a: %M, 64] [%b: %M * 4 + 1, 64]
tile.program @structure<%M>(%a: memref<?x64xf32, #tile.symmetric>, %b: memref<?x64xf32>) world 4
    extents [%a: %M, 64] [%b: 4 * %M + 1, 64] {
  // CHECK: tile.param @BM in [32, 64]
  tile.param @BM in [32, 64]
  // CHECK: %rows = tile.extent [W * %M - 3]
  %rows = tile.extent [W * %M - 3]
  // CHECK: %tiles = tile.extent [(%M + 2) ceildiv @BM]
  %tiles = tile.extent [(%M + 2) ceildiv @BM]
  // CHECK: %scratch = tile.alloc [W * %M, 64] : memref<?x64xf32, #tile.symmetric>
  %scratch = tile.alloc [W * %M, 64] : memref<?x64xf32, #tile.symmetric>
  // CHECK: %kept = tile.alloc persistent [64] : memref<64xf32>
  %kept = tile.alloc persistent [64] : memref<64xf32>
  // CHECK: %rank = tile.rank
  %rank = tile.rank
  // CHECK: %world = tile.world_size
  %world = tile.world_size
  // CHECK: tile.forall (%m, %n) over %b tiles [@BM, 64] : memref<?x64xf32> {
  tile.forall (%m, %n) over %b tiles [@BM, 64] : memref<?x64xf32> {}
  // CHECK: tile.forall (%r, %m) in [W, %M ceildiv 64] order [#tile.remap<8>, #tile.grouped<4>, #tile.rank_first<0>] {
  tile.forall (%r, %m) in [W, %M ceildiv 64] order [#tile.remap<8>, #tile.grouped<4>, #tile.rank_first<0>] {}
  // CHECK: tile.forall (%r, %m) in [W, %M ceildiv 64] order [#tile.chunked<8, 4>, #tile.diagonal, #tile.rank_first<0>] {
  tile.forall (%r, %m) in [W, %M ceildiv 64] order [#tile.chunked<8, 4>, #tile.diagonal, #tile.rank_first<0>] {}
  // CHECK: tile.forall (%r, %m) in [W, %M ceildiv 64] order [#tile.rank_first<0, backward>] {
  tile.forall (%r, %m) in [W, %M ceildiv 64] order [#tile.rank_first<0, backward>] {}
  // CHECK: tile.forall (%r, %m) in [W, %M ceildiv 64] order [#tile.rank_first<0, ahead = 1, backward>] {
  tile.forall (%r, %m) in [W, %M ceildiv 64] order [#tile.rank_first<0, ahead = 1, backward>] {}
  // CHECK: tile.forall (%r, %m) in [W, %M ceildiv 64] order [#tile.rank_first<0, ahead = 1>] {
  tile.forall (%r, %m) in [W, %M ceildiv 64] order [#tile.rank_first<0, ahead = 1>] {}
  // CHECK: tile.forall (%i) in [4] order [#tile.chunked<8, 16>, #tile.mapped<(d0) -> (-d0 + 3)>] {
  tile.forall (%i) in [4] order [#tile.chunked<8, 16>, #tile.mapped<(d0) -> (-d0 + 3)>] {}
  // CHECK: tile.forall (%i) in [4] order [#tile.remap<8>] on 16 workgroups {
  tile.forall (%i) in [4] order [#tile.remap<8>] on 16 workgroups {}
  // CHECK: tile.forall (%s, %i) in [2, 4] order [#tile.remap<8>] steps {
  tile.forall (%s, %i) in [2, 4] order [#tile.remap<8>] steps {}
  // CHECK: tile.forall (%m, %n) over %b tiles [@BM, 64] on 2 workgroups : memref<?x64xf32> {
  tile.forall (%m, %n) over %b tiles [@BM, 64] on 2 workgroups : memref<?x64xf32> {}
}

// Strides that the type holds are not repeated; others have a name. A contiguous argument has none.
// CHECK: tile.program @strides<%M, %lda>(%a: memref<?x64xf32, strided<[128, 1]>>, %b: memref<?x64xf32, strided<[?, 1]>, #tile.symmetric>, %c: memref<64x64xf32, strided<[1, ?]>>,
// CHECK-SAME: %d: memref<8x8xf32, strided<[9, 1]>>, %e: memref<?xf32>)
// CHECK-SAME: extents [%a: %M, 64] [%b: %M, 64 strides %lda, 1] [%c: 64, 64 strides 1, %lda * 2 + W] [%e: %M] attributes {pattern = #tile.pattern<bulk>}
tile.program @strides<%M, %lda>(%a: memref<?x64xf32, strided<[128, 1]>>, %b: memref<?x64xf32, strided<[?, 1]>, #tile.symmetric>, %c: memref<64x64xf32, strided<[1, ?]>>,
    %d: memref<8x8xf32, strided<[9, 1]>>, %e: memref<?xf32>)
    extents [%a: %M, 64 strides 128, 1] [%b: %M, 64 strides %lda, 1] [%c: 64, 64 strides 1, 2 * %lda + W] [%e: %M] attributes {pattern = #tile.pattern<bulk>} {}

// Conditions stand behind the extents; a difference is written as two sides, a number on the right.
// CHECK: tile.program @conditions<%M, %N, %K>(%a: memref<?x?xf32>, %b: memref<?x64xf32>) world 4
// CHECK-SAME: extents [%a: %M, %N] [%b: %K, 64] where %M mod W == 0, %N == %K, %K + 8 <= %M * 2, %K == 3 attributes {pattern = #tile.pattern<bulk>}
tile.program @conditions<%M, %N, %K>(%a: memref<?x?xf32>, %b: memref<?x64xf32>) world 4
    extents [%a: %M, %N] [%b: %K, 64] where %M mod W == 0, %N - %K == 0, %K + 8 <= 2 * %M, 5 - 2 == %K attributes {pattern = #tile.pattern<bulk>} {}
// CHECK: tile.program @without_arguments<%M>() where 16 <= %M {
tile.program @without_arguments<%M>() where 16 <= %M {}

// Numbers stand among buffers; they have no clause, but that integers may be indices.
// CHECK: tile.program @numbers<%M>(%alpha: f32, %a: memref<?xf32>, %n: i32, %wide: i64, %beta: f64) extents [%a: %M] indices [%n: %M] {
tile.program @numbers<%M>(%alpha: f32, %a: memref<?xf32>, %n: i32, %wide: i64, %beta: f64) extents [%a: %M] indices [%n: %M] {
  // CHECK: %rows = tile.clamp %n upto %M : i32
  %rows = tile.clamp %n upto %M : i32
  // CHECK: %more = tile.clamp %wide upto %rows : i64
  %more = tile.clamp %wide upto %rows : i64
}
