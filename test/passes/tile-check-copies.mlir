// Direct copies to the slots of a ring: what they wait for is taken out of the exit dialect, or weakened, and `check` says what goes wrong.
// DEFINE: %{check} = tilec-opt --pass-pipeline='builtin.module(tile.program(tile-check))' -o %t.out
// RUN: tilec %s --world 1 --target gfx950 --until=prepare > %t && %{check} %t

// Each step leaves the copies of two steps in flight. One more, and the copy that it reads may be among them.
// RUN: sed 's/left = 12/left = 13/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=FILLING
// RUN: sed 's/left = 8/left = 9/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=FILLING
// FILLING: 'hip.reading' op reads LDS that a copy may still fill
// FILLING: note: the copy is here

// Half of the waves copy one operand, half the other: half of a tile is missing where all copy as if they had half of both.
// RUN: sed 's/{halved, /{/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=HALVES
// HALVES: 'hip.by_halves' op shares out what is no copy of a halved feed, expected a 'hip.copying' of one

// Each wave waits for its own copies. Those of others are there when the waves have met.
// RUN: awk '!/ hip.meet / || ++n != 1' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=UNMET
// RUN: awk '!/ hip.meet / || ++n != 2' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=UNMET
// UNMET: 'hip.reading' op reads LDS without a barrier after a store to it
// Reads return in order, but a wave that meets others without a wait may have some on their way.
// RUN: awk '!/ hip.await_copies / || ++n != 2' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=UNREAD
// UNREAD: op {{reads LDS that a copy may still fill|overwrites LDS without a barrier after a load of it}}

// What was copied for nothing lands before anything else lies there.
// RUN: sed '/left = 0 /d' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=LANDS
// LANDS: 'hip.shared_store' op overwrites LDS that a copy may still fill

// The slot that is filled is none that the step, or the one before, reads.
// RUN: sed '/_ring, %%slot/s/%%slot/%%next/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=SAME-STEP
// SAME-STEP: 'hip.copying' op overwrites LDS without a barrier after a load of it
// RUN: sed '/arith.muli %%last, /s/%%last/%%whole/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: error: fetches columns {{[0-9]+}} to {{[0-9]+}} of a view with
// A copy for the slot after the one that is free in its turn holds the tile of another step: nothing races.
// RUN: sed 's/\(arith.addi %%k, \)%%c4/\1%%c2/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=OTHER-STEP
// OTHER-STEP: 'hip.multiplying' op multiplies the tiles of step 2, expected those of step 4, with extents of
tile.program @ring<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>) extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.forall (%m, %n) over %c tiles [256, 256] : memref<?x?xf32> {
    %zero = tile.splat 0.0 [256, 256] : tensor<256x256xf32>
    %first = arith.constant 0 : index
    %step = arith.constant 1 : index
    %count = tile.extent [%K ceildiv 32]
    %sum = scf.for %k = %first to %count step %step iter_args(%acc = %zero) -> tensor<256x256xf32> {
      %ta = tile.load %a[%m, %k] tile [256, 32] : memref<?x?xbf16> -> tensor<256x32xbf16>
      %tb = tile.load %b[%n, %k] tile [256, 32] : memref<?x?xbf16> -> tensor<256x32xbf16>
      %next = tile.dot %ta, transpose %tb, %acc : tensor<256x32xbf16>, tensor<256x32xbf16>, tensor<256x256xf32>
      scf.yield %next : tensor<256x256xf32>
    }
    tile.store %sum, %c[%m, %n] : tensor<256x256xf32>, memref<?x?xf32>
  }
}
