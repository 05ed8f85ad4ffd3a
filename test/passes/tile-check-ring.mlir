// What protects a ring is taken out of the exit dialect, or changed: `check` says of each what goes wrong.
// DEFINE: %{check} = tilec-opt --pass-pipeline='builtin.module(tile.program(tile-check))' -o %t.out
// RUN: tilec %s --world 1 --until=prepare > %t && %{check} %t

// Of the barriers, that between the words of a ticket, which lie where the ring does, and the deposits; that behind the deposits; that of a step.
// RUN: awk '!/ hip.barrier / || ++n != 1' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=TICKET
// TICKET: 'hip.depositing' op overwrites LDS without a barrier after a load of it
// TICKET: hip.group
// RUN: awk '!/ hip.barrier / || ++n != 2' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=EMPTY-YET
// EMPTY-YET: 'hip.reading' op reads LDS without a barrier after a store to it
// EMPTY-YET: note: the store is here
// RUN: awk '!/ hip.barrier / || ++n != 3' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=READ-YET
// READ-YET: 'hip.refilling' op overwrites LDS without a barrier after a load of it
// READ-YET: note: the load is here

// The slots of a step: what is read must not be filled, each has to be filled before it is read, and there are two.
// RUN: sed '/_ring, %%next/s/%%next/%%slot/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=SAME-STEP
// RUN: sed '/_ring, %%slot/s/%%slot/%%next/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=SAME-STEP
// SAME-STEP: 'hip.refilling' op overwrites LDS without a barrier after a load of it
// RUN: sed '/hip.slot %%b_ring, %%step/s/%%step/%%c0/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: 'hip.reading' op reads a slot that nothing has filled
// RUN: sed 's/\(hip.places %%[0-9]*, %%[0-9]*, %%[0-9]*\), %%[0-9]*, \(.*\), !hip.activity) -> /\1, \2) -> /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: 'hip.reading' op reads a slot again that nothing has filled since
// RUN: sed '/hip.slot %%b_ring, %%step/s/%%step/%%c64/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: 'hip.depositing' op works on slot 64, expected one of 2

// The registers: those of the step are multiplied, those of the next are read into; what was fetched is deposited before the next fetch.
// RUN: sed '/hip.held_at %%lhs, %%slot/s/%%slot/%%next/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=MEANWHILE
// RUN: sed '/hip.held_at %%lhs, %%next/s/%%next/%%slot/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=MEANWHILE
// MEANWHILE: 'hip.places' op multiplies registers that one of its accesses fills meanwhile
// MEANWHILE: note: the access is here
// RUN: sed '/hip.held_at %%lhs, %%c0/s/%%c0[_0-9]*/%%step/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=UNFILLED
// UNFILLED: 'hip.multiplying' op uses registers that nothing has filled
// UNFILLED: note: they are declared here
// RUN: sed 's/hip.in_order \(%%[0-9]*\), \(%%[0-9]*\), \(%%[0-9]*\), /hip.in_order \3, \2, \1, /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=UNFETCHED
// UNFETCHED: 'hip.depositing' op uses registers that nothing has filled
// RUN: sed 's/hip.in_order \(%%[0-9]*\), \(%%[0-9]*\), \(%%[0-9]*\), \(%%[0-9]*\), \(%%[0-9]*\), /hip.in_order \1, \2, \5, \4, \3, /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=UNDEPOSITED
// UNDEPOSITED: 'hip.fetching' op fills registers again before anything has used what they hold
// RUN: sed '/hip.held_at %%lhs, %%next/s/%%next/%%k/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: 'hip.reading' op works on a tile of a 'hip.hold' whose number is not known, expected a constant or one of the slot
// RUN: sed '/hip.held_at %%lhs, %%c0/s/%%c0[_0-9]*/%%c64/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=NO-TILE
// NO-TILE: 'hip.reading' op works on tile 64 of a 'hip.hold', expected one of 2

// Columns that a view does not have are the next row, or behind the buffer.
// RUN: sed '/arith.muli %%last, /s/%%last/%%whole/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: sed 's/\(%%k_1 = arith.minsi \)%%last/\1%%whole/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=ONE-STEP
// COLUMNS: error: fetches columns 128 to 159 of a view with 128, in task (0) of role @multiply on rank 0
// ONE-STEP: error: fetches columns 32 to 63 of a view with {{32|40}}, in task (0) of role @multiply on rank 0

// Where each step takes other rows, these have to be in the view.
// RUN: tilec %source/test/run/coverage/untransposed-rings.mlir --world 1 --param BM=64,BN=64,BK=64 --until=prepare > %t.across && %{check} %t.across
// RUN: sed '/arith.muli %%last, /s/%%last/%%whole/' %t.across | not %{check} 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: error: fetches {{columns|rows}} {{[0-9]+}} to {{[0-9]+}} of a view with

// Each product multiplies the tiles of the step behind those that the sum has. The slot of the prologue that the first step reads; a fetch that
// nobody does; steps too many and too few; a tile of another step: nothing races, and the sum is wrong.
// RUN: sed 's/\(hip.steps \)%%whole/\1%%last/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=TOO-FEW
// TOO-FEW: 'scf.for' op adds the rest of a ring's sum from step 1 on, expected from step 0 on, with extents of 32
// RUN: awk '/%%whole = arith.select/ { print; print "%%more = arith.addi %%whole, %%step : index"; next } /hip.steps/ { sub("%%whole", "%%more") } { print }' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=TOO-MANY
// TOO-MANY: 'hip.multiplying' op multiplies the tiles of step 0, expected those of step 1, with extents of 32
// RUN: sed 's/\(%%k_1 = arith.minsi \)%%last, %%[a-z0-9_]*/\1%%last, %%c0/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=SAME-TILE
// SAME-TILE: 'hip.multiplying' op multiplies the tiles of step 0, expected those of step 1, with extents of 64
// RUN: awk '/hip.slot %%a_ring/ && ++n == 3 { sub("%%c0", "%%step") } { print }' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=OTHER-STEP
// OTHER-STEP: 'hip.multiplying' op multiplies the tile of step 1 with that of step 0, with extents of 64

// What comes from elsewhere is not followed.
// DEFINE: %{any} = not tilec-opt --allow-unregistered-dialect --pass-pipeline='builtin.module(tile.program(tile-check))' -o %t.out
// RUN: sed 's/= hip.slot %%a_ring, %%next : .* -> /= "any.slot"() : () -> /' %t | %{any} 2>&1 | FileCheck %s --check-prefix=SLOT
// SLOT: 'hip.reading' op works on a value that is no 'hip.slot' of a 'hip.ring'
// RUN: sed 's/%%a_tile = hip.hold .* -> /%%a_tile = "any.tile"() : () -> !hip.held/' %t | %{any} 2>&1 | FileCheck %s --check-prefix=HELD
// HELD: 'hip.fetching' op works on registers that no 'hip.hold' declares
// RUN: sed 's/= hip.refilling .* -> /= "any.activity"() : () -> /' %t | %{any} 2>&1 | FileCheck %s --check-prefix=ACTIVITY
// ACTIVITY: 'hip.places' op performs a value that is no activity, expected the result of one such as 'hip.reading'
// RUN: sed 's/%%a_feed = hip.feed .* -> /%%a_feed = "any.feed"() : () -> /' %t | %{any} 2>&1 | FileCheck %s --check-prefix=FEED
// FEED: 'hip.fetching' op fetches from a value that is no feed, expected the result of a 'hip.feed', a 'hip.direct_feed' or a 'hip.mapped_feed'
tile.program @ring<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>) extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.forall (%m, %n) over %c tiles [64, 64] : memref<?x?xf32> {
    %zero = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
    %first = arith.constant 0 : index
    %step = arith.constant 1 : index
    %count = tile.extent [%K ceildiv 32]
    %sum = scf.for %k = %first to %count step %step iter_args(%acc = %zero) -> tensor<64x64xf32> {
      %ta = tile.load %a[%m, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
      %tb = tile.load %b[%n, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
      %next = tile.dot %ta, transpose %tb, %acc : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %sum, %c[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
  }
}
