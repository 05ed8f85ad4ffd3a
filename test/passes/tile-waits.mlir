// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=sequential-push granularity=task},tile-expand,tile-fuse,tile-waits))' | FileCheck %s --check-prefix=PUSH
// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=sequential-pull granularity=task},tile-expand,tile-fuse,tile-waits))' | FileCheck %s --check-prefix=PULL
// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=bulk-push granularity=task},tile-expand,tile-fuse,tile-waits))' | FileCheck %s --check-prefix=BULK
// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=sequential-push granularity=task},tile-expand,tile-fuse,tile-waits,tile-verify))' | FileCheck %s --check-prefix=VERIFIED
// VERIFIED: tile.program

// RAW on one rank: the tile's own word at agent scope, the store published, the load protected.
// PUSH-LABEL: @raw
// PUSH: %combine_done = tile.signals [%M ceildiv 32, 2]
// PUSH: %[[STORED:.*]] = tile.store %{{.*}}, %s [%m, %n]
// PUSH: tile.signal {{ *}}agent %combine_done[%m, %n] to %rank publishes %[[STORED]]
// PUSH: tile.role @combine_2
// PUSH: %[[TOKEN:.*]] = tile.wait {{ *}}agent %combine_done[%m, %n] {
// PUSH: tile.load %s [%m, %n] tile [32, 32] after %[[TOKEN]]
tile.program @raw<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: %M, 64] {
  %s = tile.alloc [%M, 64] : memref<?x64xf32>
  tile.forall (%m, %n) in [%M ceildiv 32, 2] {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %s[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
  tile.forall (%m, %n) in [%M ceildiv 32, 2] {
    %t = tile.load %s[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}

// -----

// WAR: the writer waits for the reader of its tile; WAW: and for the writer before.
// PUSH-LABEL: @war_and_waw
// PUSH: tile.role @combine_3
// PUSH-DAG: %[[READ:.*]] = tile.wait {{ *}}agent %combine_2_done[%m, %n] {tile.comment = "s: read by role combine_2"}
// PUSH-DAG: %[[WRITTEN:.*]] = tile.wait {{ *}}agent %combine_done[%m, %n] {tile.comment = "s: written by role combine"}
// PUSH: tile.store %{{.*}}, %s [%m, %n] after %{{.*}}, %{{.*}} :
tile.program @war_and_waw<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: %M, 64] {
  %s = tile.alloc [%M, 64] : memref<?x64xf32>
  tile.forall (%m, %n) in [%M ceildiv 32, 2] {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %s[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
  tile.forall (%m, %n) in [%M ceildiv 32, 2] {
    %t = tile.load %s[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
  tile.forall (%m, %n) in [%M ceildiv 32, 2] {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %s[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}

// -----

// Rows 16 further are halves of two tiles: from floor((32 m + 16) / 32) to ceil((32 m + 48) / 32), inside the grid.
// PUSH-LABEL: @other_tiles
// PUSH: tile.role @copy_2
// PUSH: %[[FIRST:.*]] = arith.divsi %{{.*}}, %{{.*}}
// PUSH: %[[PAST:.*]] = arith.ceildivsi %{{.*}}, %{{.*}}
// PUSH: %[[END:.*]] = arith.minsi %[[PAST]]
// PUSH: %[[COUNT:.*]] = arith.subi %[[END]], %[[FIRST]]
// PUSH: tile.wait {{ *}}agent %copy_done[%[[FIRST]], %{{.*}}] count[%[[COUNT]],
tile.program @other_tiles<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%c: %M, 64] {
  %s = tile.alloc [%M, 64] : memref<?x64xf32>
  tile.forall (%m, %n) in [%M ceildiv 32, 2] {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    tile.store %t, %s[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
  %half = arith.constant 16 : index
  %step = arith.constant 32 : index
  tile.forall (%m, %n) in [%M ceildiv 32, 2] {
    %first = arith.muli %m, %step : index
    %row = arith.addi %first, %half : index
    %col = arith.muli %n, %step : index
    %t = tile.load %s at (%row, %col) tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    tile.store %t, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}

// -----

// Two loads of one tile: one wait.
// PUSH-LABEL: @merged
// PUSH: tile.role @combine_2
// PUSH: %[[TOKEN:.*]] = tile.wait {{ *}}agent
// PUSH-NOT: tile.wait
// PUSH: tile.load %s [%m, %n] tile [32, 32] after %[[TOKEN]]
// PUSH-NEXT: tile.load %s [%m, %n] tile [32, 32] after %[[TOKEN]]
tile.program @merged<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: %M, 64] {
  %s = tile.alloc [%M, 64] : memref<?x64xf32>
  tile.forall (%m, %n) in [%M ceildiv 32, 2] {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %s[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
  tile.forall (%m, %n) in [%M ceildiv 32, 2] {
    %t = tile.load %s[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %v = tile.load %s[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %t, %v : tensor<32x32xf32>
    tile.store %u, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}

// -----

// Pushed to one neighbour: told alone, at system scope. Without a message back, two copies and a credit from two launches ago.
// PUSH-LABEL: @neighbour
// PUSH: %inbox = tile.alloc [%M, 64] {copies = 2 : i64}
// PUSH: %send_arrived = tile.signals [%M ceildiv 64, 1]
// PUSH: %consumed = tile.signals [3]
// PUSH: %[[FREE:.*]] = tile.wait {{ *}}system %consumed[%{{.*}}] count[%{{.*}}] lag 2
// PUSH: tile.store %{{.*}}, %inbox [%i, %j] to %[[PEER:.*]] after %[[FREE]]
// PUSH: tile.signal {{ *}}system %send_arrived[%i, %j] to %[[PEER]] publishes
// PUSH: tile.role @leave last
// PUSH: tile.signal {{ *}}system %consumed[%rank] to %peer
tile.program @neighbour<%M>(%a: memref<?x64xf32, #tile.symmetric>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: %M, 64] {
  %inbox = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.shift %a into %inbox by 1 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) in [%M ceildiv 32, 2] {
    %t = tile.load %inbox[%m, %n] tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}

// -----

// Pulled from peers: whoever may load it learns of it, and of its rank's entry with it; the launch waits for done, so one
// copy is enough.
// PULL-LABEL: @edges
// PULL-NOT: copies
// PULL-NOT: entered
// PULL: %[[ARRIVED:.*]] = tile.wait {{ *}}system %combine_arrived[
// PULL: tile.load %x [%i, %j] tile [64, 128] from %{{.*}} after %[[ARRIVED]]
// PULL: tile.role @leave last
// PULL: tile.signal {{ *}}system %done[%rank] to %peer
// PULL: tile.wait {{ *}}system %done
tile.program @edges<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: %M, 64] {
  tile.forall (%m, %n) in [%M ceildiv 32, 2] {
    %z = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    tile.store %z, %x[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.all_reduce %x into %c : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32>
}

// -----

// Every rank waits for a signal of every other: two copies need no credit. Bulk: one barrier between the kernels.
// PUSH-LABEL: @exchange
// PUSH: %slots = tile.alloc {{.*}} {copies = 2 : i64}
// PUSH-NOT: %consumed
// PUSH: tile.signal {{ *}}system %send_arrived[%rank, %i, %j] to %peer publishes
// PUSH: tile.wait {{ *}}system %send_arrived[%{{.*}}, %i, %j] count[%c3
// BULK-LABEL: @exchange
// BULK: %reached_exchange_1 = tile.signals [3]
// BULK: tile.kernel @exchange_1
// BULK: tile.role @leave last
// BULK: tile.signal {{ *}}system %reached_exchange_1[%rank] to %peer
// BULK: tile.kernel @exchange_2
// BULK: %[[ALL:.*]] = tile.wait {{ *}}system %reached_exchange_1[%{{.*}}] count[
// BULK: tile.load {{.*}} after %[[ALL]]
tile.program @exchange<%M>(%a: memref<?x64xf32, #tile.symmetric>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: %M, 64] {
  tile.all_reduce %a into %c : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32>
}

// -----

// A kernel that signals by itself is left alone.
// PUSH-LABEL: @by_hand
// PUSH: tile.role @write
// PUSH-NEXT: tile.forall
// PUSH-NEXT: tile.load
// PUSH-NEXT: tile.store %{{.*}}, %c [%m, %n] : tensor
// PUSH-NEXT: tile.signal {{ *}}agent %ready[%m] to %rank :
tile.program @by_hand<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: %M, 64] {
  %rank = tile.rank
  %ready = tile.signals [%M ceildiv 32] : !tile.signals<1>
  tile.kernel @k {
    tile.role @write {
      tile.forall (%m, %n) in [%M ceildiv 32, 1] {
        %t = tile.load %a[%m, %n] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
        tile.store %t, %c[%m, %n] : tensor<32x64xf32>, memref<?x64xf32>
        tile.signal agent %ready[%m] to %rank : !tile.signals<1>
      }
    }
  }
}
