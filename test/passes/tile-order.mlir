// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=specialized-push granularity=task order=auto-2},tile-expand,tile-fuse,tile-order))' | FileCheck %s --check-prefix=AUTO
// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=specialized-push granularity=task order=none},tile-expand,tile-fuse,tile-order))' | FileCheck %s --check-prefix=NONE
// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=specialized-push granularity=task order=remap},tile-expand,tile-fuse,tile-order))' | FileCheck %s --check-prefix=REMAP
// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=specialized-push granularity=task order=chunked-8},tile-expand,tile-fuse,tile-order))' | FileCheck %s --check-prefix=CHUNKED
// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=specialized-push granularity=task order=grouped-2},tile-expand,tile-fuse,tile-order))' | FileCheck %s --check-prefix=GROUPED
// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=specialized-push granularity=task order=rank-first},tile-expand,tile-fuse,tile-order))' | FileCheck %s --check-prefix=RANK
// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=specialized-push granularity=task order=diagonal},tile-expand,tile-fuse,tile-order))' | FileCheck %s --check-prefix=DIAGONAL
// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=specialized-push granularity=task order=remap+grouped-8},tile-expand,tile-fuse,tile-order))' | FileCheck %s --check-prefix=WINDOWS
// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=specialized-push granularity=task order=chunked+diagonal+rank-first},tile-expand,tile-fuse,tile-order))' | FileCheck %s --check-prefix=THREE
// RUN: not tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=sequential granularity=task order=hilbert},tile-expand,tile-fuse,tile-order))' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: unknown order 'hilbert', expected auto, none, remap, chunked, grouped, diagonal, rank-first or head-first

// Copies to every rank start at one's own and go on with the rank before it, which reads them next; products go by windows of rows; every loop
// gets an order.
// AUTO-LABEL: @send_and_multiply
// AUTO: tile.forall (%peer, %i, %j) in {{.*}} order [#tile.rank_first<0, ahead = 1, backward>]
// Rows that peers send begin with those of the rank itself.
// AUTO: tile.forall (%m, %n) in {{.*}} order [#tile.grouped<2>, #tile.rank_first<0>]
// NONE-LABEL: @send_and_multiply
// NONE: tile.forall (%peer, %i, %j) in {{.*}} order []
// NONE: tile.forall (%m, %n) in {{.*}} order []
// REMAP-LABEL: @send_and_multiply
// REMAP: tile.forall (%m, %n) in {{.*}} order [#tile.remap<8>]
// CHUNKED-LABEL: @send_and_multiply
// CHUNKED: tile.forall (%m, %n) in {{.*}} order [#tile.chunked<8, 8>]
// GROUPED-LABEL: @send_and_multiply
// GROUPED: tile.forall (%m, %n) in {{.*}} order [#tile.grouped<2>]
// RANK-LABEL: @send_and_multiply
// RANK: tile.forall (%peer, %i, %j) in {{.*}} order [#tile.rank_first<0, ahead = 1, backward>]
// RANK: tile.forall (%m, %n) in {{.*}} order [#tile.rank_first<0>]
// In more than two dimensions the last two are walked, for one index of the others after the other.
// DIAGONAL-LABEL: @send_and_multiply
// DIAGONAL: tile.forall (%peer, %i, %j) in {{.*}} order [#tile.diagonal]
// DIAGONAL: tile.forall (%m, %n) in {{.*}} order [#tile.diagonal]
// WINDOWS-LABEL: @send_and_multiply
// WINDOWS: tile.forall (%peer, %i, %j) in {{.*}} order [#tile.remap<8>, #tile.grouped<8>]
// WINDOWS: tile.forall (%m, %n) in {{.*}} order [#tile.remap<8>, #tile.grouped<8>]
// THREE-LABEL: @send_and_multiply
// THREE: tile.forall (%m, %n) in {{.*}} order [#tile.chunked<8, 16>, #tile.diagonal, #tile.rank_first<0>]
tile.program @send_and_multiply<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: W * %M, %N] {
  %full = tile.alloc [W * %M, %K] : memref<?x?xbf16, #tile.symmetric>
  tile.all_gather %a into %full dim 0 : memref<?x?xbf16>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %full, transpose %b into %c : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xbf16>
}

// An index that names only some of the ranks is not rotated: that would be no bijection.
// AUTO-LABEL: @some_ranks
// AUTO: tile.forall (%p, %m) in [2, {{.*}} order []
// RANK-LABEL: @some_ranks
// RANK: tile.forall (%p, %m) in [2, {{.*}} order []
tile.program @some_ranks<%M>(%a: memref<?xf32>, %b: memref<?x?xf32, #tile.symmetric>) extents [%a: %M] [%b: W, %M] {
  %rank = tile.rank
  tile.forall (%p, %m) in [2, %M ceildiv 64] {
    %t = tile.load %a[%m] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %b[%rank, %m] to %p : tensor<64xf32>, memref<?x?xf32, #tile.symmetric>
  }
}

// A grid of one dimension has no diagonals.
// DIAGONAL-LABEL: @line
// DIAGONAL: tile.forall (%m) in {{.*}} order []
tile.program @line<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  tile.forall (%m) in [%M ceildiv 64] {
    %t = tile.load %a[%m] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %b[%m] : tensor<64xf32>, memref<?xf32>
  }
}

// What an expert has ordered stays.
// AUTO-LABEL: @ordered_by_hand
// AUTO: order [#tile.grouped<3>]
tile.program @ordered_by_hand<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%c: %M, 64] {
  tile.kernel @k {
    tile.role @copy {
      tile.forall (%m, %n) in [%M ceildiv 32, 2] order [#tile.grouped<3>] {
        %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
        tile.store %t, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
      }
    }
  }
}
