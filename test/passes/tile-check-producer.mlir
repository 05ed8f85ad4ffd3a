// Slots that waves of their own fill: what protects them is taken out of the exit dialect, or weakened, and `check` says what goes wrong.
// DEFINE: %{check} = tilec-opt --pass-pipeline='builtin.module(tile.program(tile-check))' -o %t.out
// RUN: tilec %s --world 1 --target sm_90a --until=prepare > %t && %{check} %t

// A kernel whose slots an engine fills is started where all of its maps are there.
// RUN: sed 's/hip.mapped %\([a-z_]*\), %[a-z_]* \(.*\): (\(!hip.tensor_map<.*>\), !hip.tensor_map<.*>) -> i1/hip.mapped %\1 \2: (\3) -> i1/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=UNMAPPED
// UNMAPPED: 'hip.launch_kernel' op passes a map of which its kernel is not told whether it is there, expected it among the operands of 'hip.mapped'
// UNMAPPED: note: the map is made here
// Who counts the launch does so behind the meetings where words are made: all threads would wait for memory with him.
// RUN: FileCheck %s --check-prefix=LATE-COUNT < %t
// LATE-COUNT: hip.empty
// LATE-COUNT: hip.full
// LATE-COUNT: hip.count_launch

// A slot is filled when all have released it, and used when it is full.
// RUN: awk '!/ hip.await_empty /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: 'hip.produce' op fills slots that it has not found empty, expected a 'hip.await_empty' before
// RUN: awk '!/ hip.await_full /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: 'hip.consume' op does not await what its producer fills, or not alone, expected one 'hip.await_full' of its slots
// FULL: note: the producer is here
// RUN: awk '/ hip.await_full /{print} {print}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: 'hip.await_full' op waits for a slot that nothing fills
// RUN: awk '/ hip.await_full /{kept = $0; next} / hip.multiply_async /{print; print kept; next} {print}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: 'hip.multiply_async' op reads LDS that a copy may still fill
// RUN: awk '/ hip.release_step / && n++ == 0 {next} {print}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=UNRELEASED
// UNRELEASED: 'hip.await_full' op waits for a slot that nothing fills
// RUN: awk '/ hip.release_step / && n++ == 1 {next} {print}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: 'hip.produce' op fills slot 0, which a task has not released at its end
// LEFT: note: what it fills is used here
// RUN: awk '/ hip.release_step /{print} {print}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: 'hip.release_step' op releases slot {{[0-9]}}, which has not been awaited since it was released

// Products read their slots until they have been awaited.
// RUN: awk '!/hip.await_products.*left = 1/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=READING
// RUN: sed 's/left = 1 /left = 2 /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=READING
// RUN: awk '/ hip.release_step / && n++ == 0 {sub(/%%[0-9]+ :/, "%%k :")} {print}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=READING
// READING: 'hip.release_step' op releases a slot that a product may still read
// RUN: sed '/hip.release_step/s/hip.release_step %%empty, %%[0-9]*/hip.release_step %%empty, %%m/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: 'hip.release_step' op releases the slot of a step that is not known to be this one or the one before

// All consumers release a slot, and the two sides have the same steps.
// RUN: sed 's/waves = 8 : i64} : () -> !hip.empty/waves = 7 : i64} : () -> !hip.empty/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=WAVES
// WAVES: 'hip.consume' op is done by 8 waves, expected that all of them release a slot
// RUN: sed 's/hip.produce %%streamed/hip.produce %%K_5/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=STEPS
// STEPS: 'hip.consume' op has other steps or slots than its producer
// RUN: sed 's/arith.cmpi sgt, %%streamed/arith.cmpi sgt, %%K_5/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=BRANCH
// BRANCH: 'hip.consume' op stands in a loop or a branch that its producer does not take
// RUN: sed 's/ {alone} / /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: 'hip.fill' op fills another slot than that of its step, or by more than one thread
// RUN: sed '/ hip.fill /d' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=UNFILLED
// UNFILLED: 'hip.produce' op fills nothing, expected one 'hip.fill'

// It does not come to what consumers meet at, and they do not wait for it.
// RUN: sed 's/hip.barrier  {waves = 8 : i64}/hip.barrier /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=MEET
// MEET: 'hip.barrier' op lets all waves of the workgroup meet, expected the 8 consumers alone
// RUN: sed 's/hip.barrier  {waves = 8 : i64}/hip.barrier  {waves = 4 : i64}/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=MEET
// RUN: sed '0,/hip.if_produces/s/^ *hip.if_produces/hip.barrier  {waves = 8 : i64} : () -> ()\n&/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=MEET
// RUN: sed '0,/hip.if_produces/s/^ *hip.if_produces/hip.fence_async : () -> ()\n&/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: 'hip.fence_async' op is done by producers and consumers, expected it on one side of a 'hip.if_produces'
// RUN: awk '{print} / hip.await_empty /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=INSIDE
// INSIDE: 'hip.await_empty' op stands in a producer's step, expected one 'hip.await_empty' of its slot and one 'hip.fill' behind it there
// RUN: sed 's/by_role consumers 8/by_role consumers 12/; s/waves = 8 : i64/waves = 12 : i64/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=CONSUMERS
// CONSUMERS: 'hip.by_role' op has 12 consumers, expected at least one of the 12 waves of its kernel, and not all
// RUN: sed 's/by_role consumers 8/by_role consumers 8 registers [40, 240]/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=REGISTERS
// REGISTERS: 'hip.by_role' op shares out 2080 registers a lane among 12 waves, expected at most 2016, fewer for producers and more for consumers than 168

// What waves rearrange passes through bytes that nobody else uses.
// RUN: sed 's/offset = 1024 : i64, slots = 4/offset = 119808 : i64, slots = 4/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: overwrites LDS that a copy may still fill
// RUN: sed 's/offset = 48 : i64, slots/offset = 16 : i64, slots/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=WORDS
// WORDS: op lies at bytes 16 to 48 of LDS, expected none of 16 to 48, which say what is full or empty
// RUN: sed 's/c132096 = arith.constant 132096/c132096 = arith.constant 148480/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: op lies at bytes 148480 to {{[0-9]+}} of LDS, expected none of 148480 to 164864, which waves keep for what they rearrange
// KEPT: note: they do it here
// RUN: sed 's/hip.deferred %%tile, /hip.deferred %%moved, /; /hip.deferred /s/, %%c_map {/ {/; /hip.deferred /s/, !hip.tensor_map<.*>) ->/) ->/; s/^ *%%tile = hip.shared .*/&\n%%moved = hip.shared %%M_3 : (index) -> !hip.shared<bf16, [128, 64], <8, 1, 8>>/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: 'hip.deferred' op goes through LDS whose place is not known

// The two sides stand beside each other once, and a producer does nothing else.
// RUN: awk '/hip.if_produces/ && ++n == 2 {left = 5} left {--left; next} /hip.if_produces/ {skip = 1} skip {if (/} else {/) skip = 0; next} /^              }$/ {next} {print}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=SIDES
// SIDES: 'hip.tasks' op has 0 'hip.if_produces', expected one, in each task
// RUN: sed '0,/hip.if_produces/s/hip.if_produces %%role {/&\nhip.fence_async : () -> ()/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: 'hip.fence_async' op is done by a producer, expected 'hip.produce', 'hip.by_producer' or 'hip.tell' alone there
// RUN: awk '/hip.produce / {skip = 1} !skip {print} skip && /^                }$/ {skip = 0}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: 'hip.if_produces' op has 0 'hip.produce' and 1 'hip.consume', expected as many
// RUN: awk '/hip.produce / {keep = 1} keep {kept = kept $0 "\n"} {print} keep && /^                }$/ {keep = 0; printf "%%s", kept}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: 'hip.if_produces' op has 2 'hip.produce' and 1 'hip.consume', expected as many
// RUN: sed 's/by_role consumers 8/by_role consumers 8 registers [40, 232, 8]/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=NUMBERS
// NUMBERS: 'hip.by_role' op has 3 numbers of registers, expected those of a producer and of a consumer
// RUN: sed 's/by_role consumers 8/by_role consumers 8 registers [40, 236]/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=EIGHTHS
// EIGHTHS: 'hip.by_role' op has waves with 236 registers, expected 24 to 256, a multiple of 8
// RUN: sed 's/%%role: !hip.wave_role/&, %%other: index/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=BODY
// BODY: 'hip.by_role' op has a body with '!hip.wave_role', 'index', expected one '!hip.wave_role'
tile.program @produced<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>) extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.forall (%m, %n) over %c tiles [128, 128] : memref<?x?xbf16> {
    %zero = tile.splat 0.0 [128, 128] : tensor<128x128xf32>
    %first = arith.constant 0 : index
    %step = arith.constant 1 : index
    %count = tile.extent [%K ceildiv 64]
    %sum = scf.for %k = %first to %count step %step iter_args(%acc = %zero) -> tensor<128x128xf32> {
      %ta = tile.load %a[%m, %k] tile [128, 64] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %tb = tile.load %b[%n, %k] tile [128, 64] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %next = tile.dot %ta, transpose %tb, %acc : tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %rounded = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %rounded, %c[%m, %n] : tensor<128x128xbf16>, memref<?x?xbf16>
  }
}
