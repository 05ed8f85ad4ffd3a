// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=specialized-push granularity=tile},tile-expand,tile-fuse,tile-waits,tile-verify))' | FileCheck %s --check-prefix=TILE
// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=specialized-push granularity=group-2},tile-expand,tile-fuse,tile-waits,tile-verify))' | FileCheck %s --check-prefix=GROUP
// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=specialized-push granularity=shard},tile-expand,tile-fuse,tile-waits,tile-verify))' | FileCheck %s --check-prefix=SHARD
// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=specialized-push granularity=task},tile-expand,tile-fuse,tile-waits,tile-verify))' | FileCheck %s --check-prefix=TASK

// A product of what a statement before it computes: a tile of 64 columns serves two passes of 32, the guard lets the
// first of them wait, and the loop carries the token to the other. The producer is no copy: it stays as it is.
// TILE-LABEL: @product
// TILE: granularity = #tile.granularity<tile>
// TILE: tile.role @multiply
// TILE: %[[NONE:.*]] = tile.join()
// TILE: scf.for %k = {{.*}} iter_args({{.*}}, %[[CARRIED:.*]] = %[[NONE]])
// TILE: %[[REST:.*]] = arith.remsi %k, %{{.*}}
// TILE: %[[STARTS:.*]] = arith.cmpi eq, %[[REST]],
// TILE: %[[TOKEN:.*]] = scf.if %[[STARTS]] -> (!tile.token) {
// TILE: %[[WAIT:.*]] = tile.wait {{ *}}agent %combine_done[%{{.*}}, %first_n]
// TILE: scf.yield %[[WAIT]]
// TILE: } else {
// TILE: scf.yield %[[CARRIED]]
// TILE: tile.load %s [%m, %k] tile [64, 32] after %[[TOKEN]]
// TILE: scf.yield %{{.*}}, %[[TOKEN]]
// GROUP-LABEL: @product
// GROUP: %combine_done = tile.signals [%M ceildiv 64, %K ceildiv 64]
// SHARD-LABEL: @product
// SHARD-NOT: scf.if
// TASK-LABEL: @product
// TASK-NOT: scf.if
tile.program @product<%M, %K>(%a: memref<?x?xf32>, %b: memref<64x?xf32>, %c: memref<?x64xf32>) extents [%a: %M, %K] [%b: 64, %K] [%c: %M, 64] {
  %s = tile.alloc [%M, %K] : memref<?x?xf32>
  tile.forall (%m, %n) over %s tiles [64, 64] : memref<?x?xf32> {
    %t = tile.load %a[%m, %n] tile [64, 64] : memref<?x?xf32> -> tensor<64x64xf32>
    %u = arith.addf %t, %t : tensor<64x64xf32>
    tile.store %u, %s[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
  }
  tile.forall (%m) in [%M ceildiv 64] {
    %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %steps = tile.extent [%K ceildiv 32]
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> {
      %x = tile.load %s[%m, %k] tile [64, 32] : memref<?x?xf32> -> tensor<64x32xf32>
      %y = tile.load %b[%c0, %k] tile [64, 32] : memref<64x?xf32> -> tensor<64x32xf32>
      %next = tile.dot %x, transpose %y, %acc : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %sum, %c[%m, %c0] : tensor<64x64xf32>, memref<?x64xf32>
  }
}

// -----

// A gather along the reduction dimension. A group of two tiles is one task of the copy and one signal; a shard is what
// one rank has produced.
// TILE-LABEL: @gather
// TILE: %send_arrived = tile.signals [3, %M ceildiv 64, %K ceildiv 128]
// GROUP-LABEL: @gather
// GROUP: %send_arrived = tile.signals [3, %M ceildiv 64, (%K ceildiv 128) ceildiv 2]
// GROUP: tile.forall (%peer, %i, %j_group) in [3, %M ceildiv 64, (%K ceildiv 128) ceildiv 2]
// GROUP: %parts = arith.minsi
// GROUP: %[[STORED:.*]] = scf.for %part = %{{.*}} to %parts
// GROUP: tile.signal {{ *}}system %send_arrived[%rank, %i, %j_group] to %peer publishes %[[STORED]]
// GROUP: arith.remsi %k, %[[PERIOD:.*]] :
// SHARD-LABEL: @gather
// SHARD: %[[PASSES:.*]] = tile.extent [%K ceildiv 32]
// SHARD: arith.remsi %k, %[[PASSES]]
// SHARD: tile.wait {{ *}}system %send_arrived[%source,
// TASK-LABEL: @gather
// TASK: scf.for %source
// TASK: tile.wait {{ *}}system %send_arrived
// TASK: scf.for %k
// TASK-NOT: tile.wait
// TASK: tile.dot
tile.program @gather<%M, %K>(%a: memref<?x?xf32>, %b: memref<64x?xf32>, %c: memref<?x64xf32>) extents [%a: %M, %K] [%b: 64, W * %K] [%c: %M, 64] {
  %s = tile.alloc [%M, W * %K] : memref<?x?xf32, #tile.symmetric>
  tile.all_gather %a into %s dim 1 : memref<?x?xf32>, memref<?x?xf32, #tile.symmetric>
  tile.forall (%m) in [%M ceildiv 64] {
    %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %steps = tile.extent [(W * %K) ceildiv 32]
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> {
      %x = tile.load %s[%m, %k] tile [64, 32] : memref<?x?xf32, #tile.symmetric> -> tensor<64x32xf32>
      %y = tile.load %b[%c0, %k] tile [64, 32] : memref<64x?xf32> -> tensor<64x32xf32>
      %next = tile.dot %x, transpose %y, %acc : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %sum, %c[%m, %c0] : tensor<64x64xf32>, memref<?x64xf32>
  }
}
