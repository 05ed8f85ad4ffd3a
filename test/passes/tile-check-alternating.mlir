// Where halves of the waves are one meeting apart, what one has done comes before what another does behind two meetings: one of them, or the
// wait before it, is taken out of the exit dialect, and `check` says what goes wrong. The emulator shows the same in test/run/edited-alternating.test.
// DEFINE: %{check} = tilec-opt --pass-pipeline='builtin.module(tile.program(tile-check))' -o %t.out
// RUN: tilec %s --world 1 --target gfx942 --until=prepare > %t && %{check} %t
// RUN: tilec %s --world 1 --target gfx950 --until=prepare > %t.950 && %{check} %t.950

// The barrier of the prologue, that behind the accesses of a step, and the meeting behind its products.
// RUN: awk '!/ hip.barrier / || ++n != 2' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=FILLED
// RUN: awk '!/ hip.barrier / || ++n != 3' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=FILLED
// FILLED: error: 'hip.{{(reading|refilling)}}' op {{(reads|overwrites)}} LDS without a barrier after a
// RUN: awk '!/ hip.meet /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: 'hip.{{(reading|refilling)}}' op {{(reads|overwrites)}} LDS without a barrier after a

// Without being apart one meeting would do, and with it two are enough.
// RUN: sed 's/ alternating 512//' %t | awk '!/ hip.meet /' | %{check}

// Past the registers: the waits, the meetings; a copy to the slot that is read.
// RUN: awk '!/ hip.await_copies / || ++n != 2' %t.950 | not %{check} 2>&1 | FileCheck %s --check-prefix=LANDED
// RUN: sed 's/left = 4 /left = 5 /' %t.950 | not %{check} 2>&1 | FileCheck %s --check-prefix=LANDED
// LANDED: error: 'hip.reading' op reads LDS that a copy may still fill
// RUN: for n in 1 2 3; do awk -v n=$n '!/ hip.meet / || ++i != n' %t.950 | not %{check} 2>&1 | FileCheck %s --check-prefix=UNMET || exit 1; done
// UNMET: error: 'hip.{{(reading|copying)}}' op {{reads LDS without a barrier after a store to it|overwrites LDS without a barrier after a load of it}}
// RUN: sed '/hip.copying/!s/_ring, %%filled/_ring, %%slot/' %t.950 | not %{check} 2>&1 | FileCheck %s --check-prefix=SLOT
// SLOT: error: 'hip.copying' op overwrites LDS without a barrier after a load of it
// A signal in such steps would be one for half of the waves' stores, and a barrier of the workgroup is none for memory.
// RUN: sed 's/^\( *\)hip.priority  {level = 0.*/&\n\1hip.publish {scope = #tile<scope system>} : () -> ()/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=SIGNAL
// SIGNAL: error: 'hip.publish' op stands in steps whose halves of waves alternate, expected products, accesses to rings and registers, and their waits and meetings alone
tile.program @ring<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>) extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N]
    attributes {schedule = #tile.schedule<waves = 8, halves = alternating>} {
  tile.matmul %a, transpose %b into %c tiles [128, 128, 32] : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32>
}
