// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=bulk-push granularity=task},tile-expand))' | FileCheck %s --check-prefixes=CHECK,PUSH
// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=bulk-pull granularity=task},tile-expand))' | FileCheck %s --check-prefixes=CHECK,PULL
// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=bulk-push-two-shot granularity=task},tile-expand))' | FileCheck %s --check-prefix=TWO
// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1},tile-choose{pattern=bulk-push granularity=task},tile-expand))' | FileCheck %s --check-prefix=ONE --implicit-check-not='{{tile.store .* to %}}' --implicit-check-not=' from %'
// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=specialized-pull granularity=task},tile-expand))' | FileCheck %s --check-prefix=SHARDS

// A gather stores this rank's shard into block %rank of every peer, or loads every peer's shard into block %peer; alone, nobody is named.
// CHECK-LABEL: @all_gather
// CHECK: tile.forall (%peer, %i, %j) in [3, %M ceildiv 64, 1]
// PUSH: %[[ROW:.*]] = arith.muli %rank, %M
// PULL: %[[ROW:.*]] = arith.muli %peer, %M
// CHECK: %[[BLOCK:.*]] = memref.subview %b[%[[ROW]], 0] [%M, 64]
// PUSH: tile.load %a [%i, %j] tile [64, 128] :
// PUSH: tile.store %{{.*}}, %[[BLOCK]] [%i, %j] to %peer
// PULL: tile.load %a [%i, %j] tile [64, 128] from %peer
// PULL: tile.store %{{.*}}, %[[BLOCK]] [%i, %j] :
// ONE-LABEL: @all_gather
// ONE: tile.forall (%peer, %i, %j) in [1, %M ceildiv 64, 1]
tile.program @all_gather<%M>(%a: memref<?x64xf32, #tile.symmetric>, %b: memref<?x64xf32, #tile.symmetric>) extents [%a: %M, 64] [%b: W * %M, 64] {
  tile.all_gather %a into %b dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}

// -----

// Block p of rank r's source becomes block r of rank p's destination.
// CHECK-LABEL: @all_to_all
// PUSH: %[[FROM:.*]] = arith.muli %peer, %M
// PULL: %[[FROM:.*]] = arith.muli %rank, %M
// CHECK: %[[A:.*]] = memref.subview %a[%[[FROM]], 0] [%M, 64]
// PUSH: %[[INTO:.*]] = arith.muli %rank, %M
// PULL: %[[INTO:.*]] = arith.muli %peer, %M
// CHECK: %[[B:.*]] = memref.subview %b[%[[INTO]], 0] [%M, 64]
// PUSH: tile.load %[[A]] [%i, %j] tile [64, 128] :
// PUSH: tile.store %{{.*}}, %[[B]] [%i, %j] to %peer
// PULL: tile.load %[[A]] [%i, %j] tile [64, 128] from %peer
// ONE-LABEL: @all_to_all
tile.program @all_to_all<%M>(%a: memref<?x64xf32, #tile.symmetric>, %b: memref<?x64xf32, #tile.symmetric>) extents [%a: W * %M, 64] [%b: W * %M, 64] {
  tile.all_to_all %a into %b dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}

// -----

// Pushed terms go to a slot for each source; both ways add ranks 0..W-1 in f32 and round once.
// CHECK-LABEL: @reduce_scatter
// PUSH: %slots = tile.alloc [3, %M, 64] : memref<3x?x64xbf16, #tile.symmetric>
// PUSH: memref.subview %slots[%rank, 0, 0] [1, %M, 64]
// PUSH: tile.store %{{.*}} to %peer
// CHECK: tile.forall (%i, %j) in [%M ceildiv 64, 1]
// CHECK: scf.for %source = %c0 to %c3 step %c1 iter_args(%[[SUM:.*]] = %{{.*}}) -> (tensor<64x128xf32>)
// PUSH: memref.subview %slots[%source, 0, 0] [1, %M, 64]
// PULL: tile.load %{{.*}} [%i, %j] tile [64, 128] from %source
// CHECK: %[[TERM:.*]] = arith.extf
// CHECK: arith.addf %[[SUM]], %[[TERM]] : tensor<64x128xf32>
// CHECK: %[[OUT:.*]] = arith.truncf {{.*}} to tensor<64x128xbf16>
// CHECK: tile.store %[[OUT]], %b [%i, %j] : tensor<64x128xbf16>, memref<?x64xbf16>
// ONE-LABEL: @reduce_scatter
tile.program @reduce_scatter<%M>(%a: memref<?x64xbf16, #tile.symmetric>, %b: memref<?x64xbf16>) extents [%a: W * %M, 64] [%b: %M, 64] {
  tile.reduce_scatter %a into %b dim 0 : memref<?x64xbf16, #tile.symmetric>, memref<?x64xbf16>
}

// -----

// One shot: everybody adds everything. Two shots: rank r adds tile rows r, r + W, .. into scratch, then stores them to everybody.
// CHECK-LABEL: @all_reduce
// PUSH: %slots = tile.alloc [3, %M, 64]
// PULL-NOT: tile.alloc
// PULL: tile.load %a [%i, %j] tile [64, 128] from %source
// TWO-LABEL: @all_reduce
// TWO: %reduced = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
// TWO: tile.forall (%i, %j) in [(%M ceildiv 64) ceildiv 3, 1]
// TWO: %[[STEP:.*]] = arith.muli %i, %c3
// TWO: %[[OWN:.*]] = arith.addi %[[STEP]], %rank
// TWO: tile.load %a [%[[OWN]], %j] tile [64, 128] from %source
// TWO: tile.store %{{.*}}, %reduced [%[[OWN]], %j] :
// TWO: tile.forall (%peer, %i, %j) in [3, (%M ceildiv 64) ceildiv 3, 1]
// TWO: tile.store %{{.*}}, %b {{.*}} to %peer
// ONE-LABEL: @all_reduce
tile.program @all_reduce<%M>(%a: memref<?x64xf32, #tile.symmetric>, %b: memref<?x64xf32, #tile.symmetric>) extents [%a: %M, 64] [%b: %M, 64] {
  tile.all_reduce %a into %b : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}

// -----

// A negative distance is taken modulo the world: by -1 the destination is 2 ranks ahead of 3, the source 1.
// CHECK-LABEL: @shift_back
// PUSH: %[[BY:.*]] = arith.constant 2 : index
// PULL: %[[BY:.*]] = arith.constant 1 : index
// CHECK: %[[AHEAD:.*]] = arith.addi %rank, %[[BY]]
// CHECK: %[[PEER:.*]] = arith.remui %[[AHEAD]], %c3
// PUSH: tile.store %{{.*}} to %[[PEER]]
// PULL: tile.load %a {{.*}} from %[[PEER]]
// ONE-LABEL: @shift_back
tile.program @shift_back<%M>(%a: memref<?x64xf32, #tile.symmetric>, %b: memref<?x64xf32, #tile.symmetric>) extents [%a: %M, 64] [%b: %M, 64] {
  tile.shift %a into %b by -1 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}

// -----

// Further than the world goes round: by 7 is by 1 among 3.
// CHECK-LABEL: @shift_far
// PUSH: %[[BY:.*]] = arith.constant 1 : index
// PULL: %[[BY:.*]] = arith.constant 2 : index
// CHECK: arith.addi %rank, %[[BY]]
tile.program @shift_far<%M>(%a: memref<?x64xf32, #tile.symmetric>, %b: memref<?x64xf32, #tile.symmetric>) extents [%a: %M, 64] [%b: %M, 64] {
  tile.shift %a into %b by 7 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}

// -----

// Each right-hand side has its accumulator, transposed or not; the epilogue takes both and the first row and column of the tile.
// CHECK-LABEL: @two_products
// CHECK: tile.forall (%m, %n) in [%M ceildiv 32, %N ceildiv 16]
// CHECK: scf.for %k = {{.*}} -> (tensor<32x16xf32>, tensor<32x16xf32>)
// CHECK: %[[A:.*]] = tile.load %a [%m, %k] tile [32, 64]
// CHECK: %[[B:.*]] = tile.load %b [%n, %k] tile [16, 64]
// CHECK: tile.dot %[[A]], transpose %[[B]]
// CHECK: %[[C:.*]] = tile.load %c [%k, %n] tile [64, 16]
// CHECK: tile.dot %[[A]], %[[C]]
// CHECK: arith.muli %m, %c32
// CHECK: arith.muli %n, %c16
// CHECK: %[[OUT:.*]] = arith.mulf
// CHECK: tile.store %[[OUT]], %d [%m, %n]
tile.program @two_products<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>, %d: memref<?x?xf32>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %K, %N] [%d: %M, %N] {
  tile.matmul %a, transpose %b, %c into %d tiles [32, 16, 64] : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32>
      epilogue (%row, %col, %s: tensor<32x16xf32>, %t: tensor<32x16xf32>) {
    %u = arith.mulf %s, %t : tensor<32x16xf32>
    tile.yield %u : tensor<32x16xf32>
  }
}

// -----

// When the left side is pulled, the grid follows the shards: no tile has rows of two ranks.
// SHARDS-LABEL: @aligned
// SHARDS: tile.forall (%shard, %m, %n) in [3, %M ceildiv 128, %N ceildiv 128]
// SHARDS: %[[ROW:.*]] = arith.muli %shard, %M
// SHARDS: %[[ROWS:.*]] = memref.subview %full[%[[ROW]], 0] [%M, %K]
// SHARDS: tile.load %[[ROWS]] [%m, %k]
// PUSH-LABEL: @aligned
// PUSH: tile.forall (%m, %n) in [(%M * 3) ceildiv 128, %N ceildiv 128]
tile.program @aligned<%M, %N, %K>(%a: memref<?x?xbf16, #tile.symmetric>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: W * %M, %N] {
  %full = tile.alloc [W * %M, %K] : memref<?x?xbf16, #tile.symmetric>
  tile.all_gather %a into %full dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %full, transpose %b into %c : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xbf16>
}
