// A loop over K that waits for groups of 4 steps while its copies run ahead of its products: a wait is taken out of the exit dialect, or comes too late, or
// steps do not go on where those before them ended. `check` says what goes wrong. Copies are 3 steps ahead through registers, 4 past them.
// DEFINE: %{program} = tilec %source/examples/04_all_gather_matmul/all_gather_matmul.mlir --world 2 --pattern specialized-push --granularity tile --param BM=64,BN=64,BK=32 --until=prepare
// DEFINE: %{check} = tilec-opt --pass-pipeline='builtin.module(tile.program(tile-check{max-errors=1}))' -o %t.out
// RUN: %{program} --target gfx942 > %t && %{check} %t
// RUN: %{program} --target gfx950 > %t.direct && %{check} %t.direct

// The waits of the text: before the ring, between its groups, in the loop that runs the rest.
// RUN: awk '!/ hip.wait / || ++i != 1' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: awk '!/ hip.wait / || ++i != 1' %t.direct | not %{check} 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: awk '!/ hip.wait / || ++i != 2' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=NEXT
// RUN: awk '!/ hip.wait / || ++i != 2' %t.direct | not %{check} 2>&1 | FileCheck %s --check-prefix=NEXT
// RUN: awk '!/ hip.wait / || ++i != 3' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=REST
// FIRST: data race: read of element [0, 0] of a buffer on rank 0, by task (0) of role @multiply {{.*}} is not ordered after the write by task (0) of role @send
// FIRST: hip.{{fetching|copying}}
// NEXT: data race: read of element [{{[0-9]+}}, 128] of a buffer on rank {{[01]}}, by task (0) of role @multiply {{.*}} is not ordered after the write by task ({{[0-9]+}}) of role @send
// NEXT: hip.{{refilling|copying}}
// REST: data race: {{.*}} by task (0) of role @multiply
// REST: hip.load_live

// Before the wait a round of steps more: their copies are of the next group. And the wait for the group that is already there.
// RUN: sed '/%%[0-9]* = arith.subi %%group_begin, %%c4/s/%%c4/%%c0/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=NEXT
// RUN: sed '/%%[0-9]* = arith.subi %%group_begin, %%c4/s/%%c4/%%c0/' %t.direct | not %{check} 2>&1 | FileCheck %s --check-prefix=NEXT
// RUN: sed '/%%column = arith.muli %%group_begin/s/%%group_begin/%%group/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=NEXT

// Steps begin with slot 0. Groups of steps follow each other: no step twice, none left out.
// RUN: sed '/%%[0-9]* = arith.subi %%group_begin, %%c4/s/%%c4/%%c1/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=SLOT
// SLOT: 'hip.steps' op begins with slot 0, expected slot 1, with which the steps before it end
// RUN: sed 's/scf.yield %%end : index/scf.yield %%group_begin : index/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: sed 's/hip.steps from %%begin[_0-9]* to/hip.steps from %%following to/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=BEHIND
// BEHIND: 'hip.steps' op begins at a step that is not known to be the one behind the steps before it
