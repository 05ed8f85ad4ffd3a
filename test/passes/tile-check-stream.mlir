// Slots that a copy engine fills: what protects them is taken out of the exit dialect, or weakened, and `check` says what goes wrong.
// DEFINE: %{check} = env TILEC_TARGETS=%t.targets tilec-opt --pass-pipeline='builtin.module(tile.program(tile-check))' -o %t.out
// On a machine whose waves all do the same; with a producer: tile-check-producer.mlir.
// RUN: mkdir -p %t.targets && sed '/"producer": {/d' %source/codegen/targets/sm_90a.json > %t.targets/sm_90a.json
// RUN: env TILEC_TARGETS=%t.targets tilec %s --world 1 --target sm_90a --until=prepare > %t && %{check} %t

// Products read what has landed.
// RUN: awk '!/ hip.await_full /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: 'hip.multiply_async' op reads LDS that a copy may still fill
// FULL: note: the copy is here
// RUN: sed 's/fill"(%%full, %%slot/fill"(%%full, %%k/; s/hip.fill %%full, %%slot/hip.fill %%full, %%k/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: 'hip.fill' op fills a slot whose number is not known

// Without a wait for the products of the step before, or with a weaker one, they still read the slot that is filled.
// RUN: awk '!/hip.await_products.*left = 1/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=READING
// RUN: sed 's/left = 1 /left = 2 /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=READING
// READING: 'hip.copying' op overwrites LDS that a product may still read
// READING: note: the product is here
// Each wave has waited for its own products; those of others are complete when the waves have met.
// RUN: awk '!/ hip.meet /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=UNMET
// UNMET: 'hip.copying' op overwrites LDS without a barrier after a load of it

// Sums belong to the products until none is left.
// RUN: awk '!/hip.await_products.*left = 0/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=SUMS
// SUMS: 'hip.take' op uses sums that a product may still write

// What threads have stored is not ordered with the engine's copies by meetings alone.
// RUN: awk '!/ hip.fence_async /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=FENCE
// FENCE: 'hip.copying' op overwrites LDS without a 'hip.fence_async' after a store of threads
// FENCE: note: the store is here

// A slot that is filled further ahead is one that is still in use; one that nobody fills is awaited for ever.
// RUN: sed 's/slots 4 ahead 3/slots 4 ahead 4/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=AHEAD
// AHEAD: 'hip.stream' op fills 4 steps ahead in 4 slots, expected at least 1 and less than the slots
// RUN: sed '/ hip.fill /d' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=UNFILLED
// UNFILLED: 'hip.await_full' op waits for a slot that nothing fills

// The words that say what is full are nobody else's.
// RUN: sed 's/offset = 16 : i64, slots/offset = 1024 : i64, slots/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=WORDS
// WORDS: lies at bytes {{[0-9]+}} to {{[0-9]+}} of LDS, expected none of 1024 to 1056, which say what is full or empty
// WORDS: note: they are declared here

// The launcher maps the buffer that the kernel reads.
// RUN: sed 's/\(hip.tensor_map \)%%a_0, /\1%%b_1, /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=MAP
// MAP: 'hip.mapped_feed' op feeds from a view that its map does not describe, expected the whole buffer that the launcher has mapped

// Instructions that read LDS have their sums in four waves, 16 rows each.
// RUN: sed 's/Wgmma64x128x16/Wgmma64x999x16/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: names Wgmma64x999x16 of bf16 into f32, which is no matrix instruction of sm_90a that reads LDS
// RUN: sed 's/waves = \[\[16, 0\], \[32, 0\], \[64, 0\]\]/waves = [[64, 0], [32, 0], [16, 0]]/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=WAVES
// WAVES: 'hip.multiply_async' op has sums whose waves are not those of Wgmma64x128x16: 'tensor<128x128xf32

// The engine's copies are asked for where their words are told of their bytes.
// RUN: sed 's/hip.fill %%full, %%slot, \(.*\) : (!hip.full<4>, index, /hip.in_order \1 : (/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=ENGINE
// ENGINE: 'hip.copying' op is the copy engine's, expected it in a 'hip.fill'
// Where all waves do the same none is alone, and none meets a part of the others.
// RUN: sed 's/\(hip.fill .*\) : (!hip.full/\1 {alone} : (!hip.full/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: 'hip.fill' op is one thread's alone, expected it in a 'hip.produce'
// RUN: sed 's/hip.barrier /hip.barrier {waves = 8 : i64}/' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=SOME
// SOME: 'hip.barrier' op lets some waves meet where all do the same, expected that in a 'hip.by_role'
tile.program @stream<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>) extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.forall (%m, %n) over %c tiles [128, 128] : memref<?x?xf32> {
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
    tile.store %sum, %c[%m, %n] : tensor<128x128xf32>, memref<?x?xf32>
  }
}
