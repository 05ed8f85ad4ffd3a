// What `choose` decides is typed: of the author where he wrote it, of the options where they name it, else of the cost
// model. Later passes read the attributes.
// RUN: split-file %s %t
// RUN: tilec %t/gather.mlir --world 8 --until=choose | FileCheck %s --check-prefix=CHOSEN
// RUN: tilec %t/gather.mlir --world 8 --until=choose --pattern specialized-push-two-shot-credits --granularity group-4 --order grouped-8 | FileCheck %s --check-prefix=GIVEN
// RUN: tilec %t/gather.mlir --world 8 --until=choose --pattern bulk-one-shot --granularity shard --order chunked-16 | FileCheck %s --check-prefix=SHORT
// RUN: tilec %t/gather.mlir --world 8 --until=choose --pattern sequential-pull --granularity tile --order rank-first | FileCheck %s --check-prefix=RANK
// RUN: tilec %t/gather.mlir --world 8 --until=choose --order remap+grouped-8 | FileCheck %s --check-prefix=JOINED
// RUN: tilec %t/gather.mlir --world 8 --until=choose --order chunked-16+diagonal+rank-first | FileCheck %s --check-prefix=THREE
// RUN: tilec %t/gather.mlir --world 8 --until=choose --order chunked-8+grouped-2 | tilec - --until=choose | FileCheck %s --check-prefix=AGAIN
// RUN: tilec %t/written.mlir --until=choose | FileCheck %s --check-prefix=WRITTEN
// RUN: tilec %t/written.mlir --until=choose --order none | FileCheck %s --check-prefix=OVER
// RUN: tilec %t/gather.mlir --world 8 --until=choose | tilec-opt --pass-pipeline='builtin.module(tile.program(tile-choose))' | FileCheck %s --check-prefix=CHOSEN
// RUN: not tilec %t/kernel.mlir --pattern bulk 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not tilec %t/gather.mlir --world 8 --order grouped-0 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not tilec %t/gather.mlir --world 8 --order grouped-1025 2>&1 | FileCheck %s --check-prefix=TALL
// RUN: not tilec %t/gather.mlir --world 8 --order remap-4 2>&1 | FileCheck %s --check-prefix=NOSIZE
// RUN: not tilec %t/gather.mlir --world 8 --order grouped-4+diagonal 2>&1 | FileCheck %s --check-prefix=PLACES
// RUN: not tilec %t/gather.mlir --world 8 --order remap+chunked 2>&1 | FileCheck %s --check-prefix=DEALS
// RUN: not tilec %t/gather.mlir --world 8 --order head-first+grouped 2>&1 | FileCheck %s --check-prefix=HEADS
// RUN: not tilec %t/gather.mlir --world 8 --order head-first+remap 2>&1 | FileCheck %s --check-prefix=HEADREMAP
// RUN: not tilec %t/gather.mlir --world 8 --order grouped+remap 2>&1 | FileCheck %s --check-prefix=TURNED2
// RUN: not tilec %t/gather.mlir --world 8 --order rank-first+diagonal 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: not tilec %t/gather.mlir --world 8 --order remap+auto 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not tilec %t/gather.mlir --world 8 --order none+grouped 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tilec %t/gather.mlir --world 8 --order diagonal+diagonal 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tilec %t/gather.mlir --world 8 --order remap+gruped-8 2>&1 | FileCheck %s --check-prefix=PIECE
// RUN: not tilec %t/gather.mlir --world 8 --order remap+ 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not tilec %t/gather.mlir --world 8 --pattern sequential-two-shot-push 2>&1 | FileCheck %s --check-prefix=TURNED
// RUN: not tilec-opt %t/words.mlir --split-input-file 2>&1 | FileCheck %s --check-prefix=WORDS

// CHOSEN: granularity = #tile.granularity<{{(task|tile|shard|group, [248])}}>
// CHOSEN-SAME: order = #tile.order<auto>
// CHOSEN-SAME: pattern = #tile.pattern<{{(sequential|specialized|bulk), (push|pull|staged)}}>
// GIVEN: granularity = #tile.granularity<group, 4>, order = #tile.order<grouped, 8>
// GIVEN-SAME: pattern = #tile.pattern<specialized, push, two_shot, credits>
// JOINED: order = #tile.order<remap + grouped, 8>
// THREE: order = #tile.order<chunked + diagonal + rank_first>
// AGAIN: order = #tile.order<chunked, 8 + grouped, 2>
// SHORT: granularity = #tile.granularity<shard>, order = #tile.order<chunked>
// SHORT-SAME: pattern = #tile.pattern<bulk>
// RANK: granularity = #tile.granularity<tile>, order = #tile.order<rank_first>
// RANK-SAME: pattern = #tile.pattern<sequential, pull>
// WRITTEN: granularity = #tile.granularity<task>, order = #tile.order<auto, 2>
// WRITTEN-SAME: pattern = #tile.pattern<bulk>
// OVER: granularity = #tile.granularity<task>, order = #tile.order<none>
// OVER-SAME: pattern = #tile.pattern<bulk>
// KERNEL: error: pattern 'bulk' given for a program in kernel form
// KERNEL: note: its author chose the pattern here
// SIZE: error: --order: unknown order 'grouped-0', expected auto, none, remap, chunked, grouped, diagonal, rank-first or head-first; a number of rows may follow auto and grouped
// A window of 2147483647 rows was accepted, and its text left tiles unwritten.
// TALL: error: --order: unknown order 'grouped-1025', expected auto, {{.*}}, of at most 1024, as in grouped-8
// NOSIZE: error: --order: unknown order 'remap-4'
// PLACES: error: --order: order 'grouped-4+diagonal': 'grouped' and 'diagonal' both say which tile a number means, expected one of them
// DEALS: error: --order: order 'remap+chunked': 'remap' and 'chunked' both deal tasks to chiplets, expected one of them
// HEADS: error: --order: order 'head-first+grouped': 'head-first' and 'grouped' both say which tile a number means, expected one of them
// HEADREMAP: error: --order: order 'head-first+remap': 'head-first' and 'remap' both deal tasks to chiplets, expected one of them
// TURNED2: error: --order: order 'grouped+remap': 'remap' applies before 'grouped', expected it in front
// LATE: error: --order: order 'rank-first+diagonal': 'diagonal' applies before 'rank-first', expected it in front
// ALONE: error: --order: order 'remap+auto': 'auto' stands alone
// NONE: error: --order: order 'none+grouped': 'none' stands alone
// TWICE: error: --order: order 'diagonal+diagonal': 'diagonal' is there twice
// PIECE: error: --order: unknown order 'gruped-8', expected auto, none, {{.*}}; did you mean 'grouped-8'?
// EMPTY: error: --order: unknown order '', expected auto, none
// TURNED: error: --pattern: unknown pattern 'sequential-two-shot-push', expected bulk, sequential, specialized or producer-consumer
// WORDS: error: unknown pattern 'spiral', expected bulk, sequential, specialized or producer-consumer
// WORDS: error: unknown granularity 'group', expected tile, group-<n> with n from 1, shard, task or statement
// WORDS: error: unknown order 'hilbert', expected auto, none
// WORDS: error: order 'grouped-2+diagonal': 'grouped' and 'diagonal' both say which tile a number means, expected one of them

//--- gather.mlir
tile.program @gather<%M, %N, %K>(%a: memref<?x?xbf16, #tile.symmetric>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: W * %M, %N] {
  %full = tile.alloc [W * %M, %K] : memref<?x?xbf16, #tile.symmetric>
  tile.all_gather %a into %full dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %full, transpose %b into %c : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xbf16>
}

//--- written.mlir
tile.program @written(%a: memref<64x64xf32>, %b: memref<64x64xf32>) world 1
    attributes {granularity = #tile.granularity<task>, order = #tile.order<auto, 2>, pattern = #tile.pattern<bulk>} {
  tile.forall (%m, %n) over %b tiles [64, 64] : memref<64x64xf32> {
    %t = tile.load %a[%m, %n] tile [64, 64] : memref<64x64xf32> -> tensor<64x64xf32>
    tile.store %t, %b[%m, %n] : tensor<64x64xf32>, memref<64x64xf32>
  }
}

//--- kernel.mlir
tile.program @kernel(%a: memref<64x64xf32>, %b: memref<64x64xf32>) world 1 {
  tile.kernel @copy {
    tile.role @tiles {
      tile.forall (%m) in [1] {
        %t = tile.load %a[%m, %m] tile [64, 64] : memref<64x64xf32> -> tensor<64x64xf32>
        tile.store %t, %b[%m, %m] : tensor<64x64xf32>, memref<64x64xf32>
      }
    }
  }
}

//--- words.mlir
tile.program @a(%a: memref<64xf32>) world 1 attributes {pattern = #tile.pattern<spiral>} {}
// -----
tile.program @b(%a: memref<64xf32>) world 1 attributes {granularity = #tile.granularity<group>} {}
// -----
tile.program @c(%a: memref<64xf32>) world 1 attributes {order = #tile.order<hilbert>} {}
// -----
tile.program @d(%a: memref<64xf32>) world 1 attributes {order = #tile.order<grouped, 2 + diagonal>} {}
