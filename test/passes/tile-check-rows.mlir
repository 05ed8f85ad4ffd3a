// What protects the rings of attention is taken out of the exit dialect, or changed: `check` says of each what goes wrong. The emulator shows
// the same in test/run/edited-rows.test. The loop has as many steps as its task sees.
// DEFINE: %{check} = tilec-opt --pass-pipeline='builtin.module(tile.program(tile-check))' -o %t.out
// RUN: tilec %s --world 1 --until=prepare > %t && %{check} %t

// The barrier before the first product, which is that of the first step: its keys have been deposited. That of a step: what has been deposited is read,
// and the slots that the step before, or its first product, has read are filled.
// RUN: awk '!/ hip.barrier / || ++n != 4' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=MEETING
// RUN: awk '!/ hip.barrier / || ++n != 5' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=MEETING
// MEETING: 'hip.{{refilling|read_slot}}' op {{overwrites LDS without a barrier after a load of it|reads LDS without a barrier after a store to it}}
// MEETING: note: the {{load|store}} is here

// The slots: what is read is not what is filled, each is filled before it is read, and again before it is read again.
// RUN: sed '/hip.slot %%v_ring, %%next/s/%%next/%%slot/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: 'hip.read_slot' op reads LDS without a barrier after a store to it
// RUN: sed '/hip.slot %%v_ring, %%slot/s/%%slot/%%next/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=EARLY
// Keys are a step ahead: their slots are filled behind what reads them.
// RUN: sed '/hip.slot %%k_ring, %%slot/s/%%slot/%%next/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=AHEAD
// RUN: sed '/hip.slot %%k_ring, %%next/s/%%next/%%slot/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=AHEAD
// AHEAD: 'hip.refilling' op overwrites LDS without a barrier after a load of it
// Queries lay where the keys' first slot is, as a tile of the same kind.
// RUN: sed '0,/hip.slot %%k_ring, %%c0/s//hip.slot %%k_ring, %%c1/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: sed '0,/hip.slot %%v_ring, %%c0/s//hip.slot %%v_ring, %%c1/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: 'hip.read_slot' op reads a slot that nothing has filled
// RUN: sed 's/hip.places \(%%[0-9]*, %%[0-9]*\), %%[0-9]* : (!hip.activity, !hip.activity, !hip.activity)/hip.places \1 : (!hip.activity, !hip.activity)/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=EMPTY

// Rows that a view does not have lie behind the buffer: a step further than the last, and the second of one.
// RUN: sed 's/\(%%ahead = arith.minsi %%[a-z_0-9]*, \)%%last/\1%%whole/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: sed 's/\(%%ahead_[0-9]* = arith.minsi %%[a-z_0-9]*, \)%%last/\1%%whole/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: sed 's/\(%%k_2[_0-9]* = arith.minsi \)%%last/\1%%whole/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: sed 's/\(%%k_1[_0-9]* = arith.minsi \)%%last/\1%%whole/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: error: fetches rows {{[0-9]+}} to {{[0-9]+}} of a view with {{[0-9]+}}, in task ({{.*}}) of role @multiply on rank 0
tile.program @attention<%T>(%q: memref<?x64xbf16>, %k: memref<2x?x64xbf16>, %v: memref<2x?x64xbf16>, %o: memref<2x?x64xf32>) extents [%q: %T, 64] [%k: 2, %T, 64] [%v: 2, %T, 64] [%o: 2, %T, 64] {
  %blocks = tile.extent [%T floordiv 64]
  tile.forall (%h, %m) in [2, %T ceildiv 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %past = arith.addi %m, %c1 : index
    %end = arith.minui %past, %blocks : index
    %qt = tile.load %q[%m, %c0] tile [64, 64] : memref<?x64xbf16> -> tensor<64x64xbf16>
    %low = tile.splat -1.0e30 [64] : tensor<64xf32>
    %none = tile.splat 0.0 [64] : tensor<64xf32>
    %nothing = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
    %no_scores = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
    %max, %sum, %acc = scf.for %n = %c0 to %end step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>) {
      %kt = tile.load %k[%h, %n, %c0] tile [64, 64] : memref<2x?x64xbf16> -> tensor<64x64xbf16>
      %vt = tile.load %v[%h, %n, %c0] tile [64, 64] : memref<2x?x64xbf16> -> tensor<64x64xbf16>
      %scores = tile.dot %qt, transpose %kt, %no_scores : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
      %here = tile.reduce maximum %scores dim 1 : tensor<64x64xf32> -> tensor<64xf32>
      %m1 = arith.maximumf %m0, %here : tensor<64xf32>
      %mb = tile.broadcast %m1 dims [0] tile [64, 64] : tensor<64xf32> -> tensor<64x64xf32>
      %d = arith.subf %scores, %mb : tensor<64x64xf32>
      %p = math.exp2 %d : tensor<64x64xf32>
      %part = tile.reduce add %p dim 1 : tensor<64x64xf32> -> tensor<64xf32>
      %dm = arith.subf %m0, %m1 : tensor<64xf32>
      %shrink = math.exp2 %dm : tensor<64xf32>
      %old = arith.mulf %s0, %shrink : tensor<64xf32>
      %s1 = arith.addf %old, %part : tensor<64xf32>
      %shrink_b = tile.broadcast %shrink dims [0] tile [64, 64] : tensor<64xf32> -> tensor<64x64xf32>
      %shrunk = arith.mulf %a0, %shrink_b : tensor<64x64xf32>
      %weights = arith.truncf %p : tensor<64x64xf32> to tensor<64x64xbf16>
      %a1 = tile.dot %weights, %vt, %shrunk : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
      scf.yield %m1, %s1, %a1 : tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>
    }
    %sum_b = tile.broadcast %sum dims [0] tile [64, 64] : tensor<64xf32> -> tensor<64x64xf32>
    %mean = arith.divf %acc, %sum_b : tensor<64x64xf32>
    tile.store %mean, %o[%h, %m, %c0] : tensor<64x64xf32>, memref<2x?x64xf32>
  }
}
