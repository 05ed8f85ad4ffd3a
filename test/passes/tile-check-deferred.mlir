// Results that the next task stores: what keeps each from being lost is taken out of the exit dialect, and `check` says what goes wrong. What the emulator
// says of the same is in test/run/deferred.test.
// DEFINE: %{check} = tilec-opt --pass-pipeline='builtin.module(tile.program(tile-check))' -o %t.out
// RUN: tilec %S/tile-check-producer.mlir --world 1 --target sm_90a --until=prepare > %t && %{check} %t

// All that is left is stored before the registers are filled again, and behind the tasks.
// RUN: awk '/ hip.store_deferred / && ++n == 2 {next} {print}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=LOST
// LOST: 'hip.defer' op fills registers that may hold what the task before has left, expected a 'hip.store_deferred' of all of it before
// RUN: awk '/ hip.store_deferred / && ++n == 3 {next} {print}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: 'hip.deferred' op may hold what the last task has left, expected a 'hip.store_deferred' of all of it behind the tasks
// LAST: note: it is left here
// RUN: awk '/ hip.defer /{print} {print}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: 'hip.defer' op fills registers that the task has filled before, expected one 'hip.defer' of them

// A task leaves its result last, and once.
// RUN: awk '{print} / hip.defer /{print "hip.barrier {waves = 8 : i64} : () -> ()"}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=BEHIND
// BEHIND: 'hip.defer' op is followed by what its task does, expected it last
// BEHIND: note: this comes behind
// RUN: awk '/ hip.defer /{print "%%none = arith.constant 0 : index\n%%once = arith.constant 1 : index\nscf.for %%i = %%none to %%once step %%once {"; print; print "}"; next} {print}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: 'hip.defer' op stands in a loop, or outside of tasks, expected it among what consumers do once in a task
// Some tasks alone may leave one, at their end.
// RUN: awk '/ hip.defer /{print "%%yes = arith.cmpi slt, %%m, %%n : index\nscf.if %%yes {"; print; print "}"; next} {print}' %t > %t.branch && %{check} %t.branch
// RUN: awk '{print} /^ *scf.if %%yes/{inside = 1} inside && /^ *}/{print "hip.barrier {waves = 8 : i64} : () -> ()"; inside = 0}' %t.branch | not %{check} 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: awk '/ hip.deferred /{kept = $0; sub(/%%deferred/, "%%other", kept); print; print "%%yes = arith.constant true\nscf.if %%yes {"; print kept; print "}"; next} {print}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: 'hip.deferred' op stands in a task or a branch, expected it before the tasks

// The bytes that the parts pass through are nobody else's.
// RUN: sed 's/c132096 = arith.constant 132096/c132096 = arith.constant 148480/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: op lies at bytes 148480 to {{[0-9]+}} of LDS, expected none of 148480 to 164864, which waves keep for what they rearrange
// KEPT: note: they do it here

// What the copy engine stores is complete before a thread ends, what the last task has left, too.
// RUN: awk '!/ hip.await_stores /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=AWAITED
// RUN: awk '/ hip.store_deferred / && ++n == 3 {left = $0; next} {print} / hip.await_stores /{print left}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=AWAITED
// AWAITED: 'hip.defer' op may not be complete when its threads end, expected a 'hip.await_stores' behind the tasks
// It goes where the map of its buffer says, and is behind nothing that threads do there in the same task.
// RUN: sed -E 's/(hip.tensor_map %%c[_0-9]*), (%%M[_0-9]*), (%%N[_0-9]*),/\1, \3, \2,/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=MAP
// MAP: 'hip.defer' op stores to a view that its map does not describe, expected the whole buffer that the launcher has mapped, or the matrix of its number there
// RUN: awk '/ hip.deferred /{view = $5} / hip.defer /{print "hip.store " $3 " " view " " $4 " " $5 " {vector = 2 : i64} : (" $10 " " $11 " !hip.view<bf16, 2>, index, index) -> ()"} {print}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=ELSEWHERE
// ELSEWHERE: 'hip.defer' op has the copy engine store to what its task accesses elsewhere, expected no other access
// ELSEWHERE: note: the other access
