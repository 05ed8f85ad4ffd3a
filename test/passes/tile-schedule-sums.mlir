// What others left for a task to add to its product: the producer brings it through the slots of the product, where that is known to read what the loop read.
// DEFINE: %{schedule} = tilec - --world 3 --target sm_90a --until=schedule
// DEFINE: %{run} = tilec run - --world 3 --target sm_90a --extent M=130,N=300,K=72 --race --memory weak --skewed --shuffle --launches 2
// RUN: %{schedule} < %s | FileCheck %s
// CHECK: producer = #tile.producer<waves = 4, registers = 56, consumers = 224>
// CHECK: %[[RUNS:[a-z_0-9]+]] = tile.shared_buffer over %b{{[a-z_0-9]*}} : memref<4x256x64xbf16, {{.*}}> : memref<4x16384xbf16, #tile.shared<1, 1, 1>>
// CHECK: tile.stream %{{.*}} slots 4 ahead 4 empty %empty carries(%{{.*}} : tensor<32768xf32, {{.*}}>) fills {
// CHECK-NEXT: ^bb0(%step: index, %slot: index):
// CHECK: tile.wait {{.*}}by wave
// CHECK: tile.copy_async %slots[%i, %part] -> %[[RUNS]][%slot] after %{{.*}} full %full
// CHECK: } uses {
// CHECK: tile.await_full %full[%slot]
// CHECK-NEXT: %{{.*}} = tile.shared_load %[[RUNS]][%slot] : {{.*}} -> tensor<16384xbf16
// CHECK-NEXT: %part = tile.part %so_far[%slot] of 2
// CHECK: tile.with_part %so_far[%slot] of 2 =
// CHECK-NEXT: tile.release %empty step %step
// RUN: %{run} < %s

// In a branch of the task, which also decides how many steps its producer has.
// RUN: sed '/^tile.program/,${/%%res = scf.for/s/.*/%%even = arith.remui %%m, %%c2 : index\n%%is_even = arith.cmpi eq, %%even, %%c0 : index\n%%res = scf.if %%is_even -> (tensor<32768xf32>) {\n%%inner = scf.for %%i = %%c0 to %%c3 step %%c1 iter_args(%%so = %%one) -> (tensor<32768xf32>) {/; /scf.yield %%w/,/}/s/^    }/}\nscf.yield %%inner : tensor<32768xf32>\n} else {\nscf.yield %%one : tensor<32768xf32>\n}/}' %s > %t.branch
// RUN: %{schedule} < %t.branch | FileCheck %s --check-prefix=BRANCH && %{run} < %t.branch
// BRANCH: %added = arith.select %{{.*}}, %c6{{[_0-9]*}}, %c0{{[_0-9]*}} : index
// BRANCH: tile.stream %added

// What the steps of an engine would read otherwise stays a loop: rows that may be outside, of an argument, at a place that is not known, with what an iteration computes
// besides tiles, without what is carried, and with what only the branch may compute.
// DEFINE: %{loop} = FileCheck %s --check-prefix=LOOP --implicit-check-not='shared_buffer over'
// LOOP: tile.program @sums
// RUN: sed '/^tile.program/,${s/%%c0 to %%c3 step %%c1 iter_args(%%so/%%c0 to %%c4 step %%c1 iter_args(%%so/}' %s | %{schedule} --no-verify | %{loop}
// RUN: sed '/^tile.program/,${s/tile.load %%slots\[%%i, %%c0\] tile \[32768\] : memref<3x32768xbf16, #tile.symmetric>/tile.load %%x[%%i, %%c0] tile [32768] : memref<?x32768xbf16>/}' %s | %{schedule} | %{loop}
// RUN: sed '/^tile.program/,${s/%%raw = tile.load %%slots\[%%i,/%%next = arith.minui %%i, %%c2 : index\n%%raw = tile.load %%slots[%%next,/}' %s > %t.place && %{schedule} < %t.place | %{loop}
// RUN: sed '/^tile.program/,${s/%%w = arith.addf .*/%%two = arith.cmpi ne, %%i, %%c2 : index\n%%u = arith.addf %%so, %%v : tensor<32768xf32>\n%%w = arith.select %%two, %%u, %%so : tensor<32768xf32>/}' %s > %t.scalar
// RUN: %{schedule} < %t.scalar | %{loop} && %{run} < %t.scalar
// RUN: sed '/^tile.program/,${s/scf.yield %%w/scf.yield %%v/}' %s > %t.last && %{schedule} < %t.last | %{loop}
// RUN: sed 's/scf.if %%is_even .*/&\n%%rest = arith.divui %%c4, %%even : index/; s/%%raw = tile.load %%slots\[%%i,/%%sum = arith.addi %%i, %%rest : index\n%%place = arith.remui %%sum, %%c3 : index\n%%raw = tile.load %%slots[%%place,/; s/cmpi eq, %%even/cmpi ne, %%even/' %t.branch > %t.guarded
// RUN: %{schedule} < %t.guarded | %{loop}

// What the owner of an all-reduce stores waits for the same ranks: its task would wait twice.
// RUN: tilec %source/bench/gpu/matmul_all_reduce.mlir --world 4 --target sm_90a --pattern sequential-push-two-shot --extent M=28000,N=7168,K=1024 --until=schedule | FileCheck %s --check-prefix=TWICE --implicit-check-not='shared_buffer over'
// TWICE: tile.program @matmul_all_reduce

// Nor does `check` take an argument's.
// RUN: tilec - --world 3 --target sm_90a --until=prepare < %s | sed '/= hip.view %%slots_[0-9]*, %%c3/{s/%%slots_[0-9]*/%%x_3/; s/pointer<bf16, false>/pointer<bf16, true>/}' | not tilec-opt --pass-pipeline='builtin.module(tile.program(tile-check))' -o %t.out 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: 'hip.copying_run' op copies runs of an argument, which may begin anywhere, expected scratch
tile.program @sums<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>, %x: memref<?x32768xbf16>, %y: memref<?x?x32768xf32>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] [%x: 3, 32768] [%y: %M ceildiv 128, %N ceildiv 256, 32768] {
  %rank = tile.rank
  %slots = tile.alloc [3, 32768] : memref<3x32768xbf16, #tile.symmetric>
  tile.forall (%peer) in [3] {
    %zero = arith.constant 0 : index
    %row = tile.load %x[%peer, %zero] tile [32768] : memref<?x32768xbf16> -> tensor<32768xbf16>
    tile.store %row, %slots[%rank, %zero] to %peer : tensor<32768xbf16>, memref<3x32768xbf16, #tile.symmetric>
  }
  tile.forall (%m, %n) in [%M ceildiv 128, %N ceildiv 256] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %z = tile.splat 0.0 [128, 256] : tensor<128x256xf32>
    %steps = tile.extent [%K ceildiv 64]
    %q = scf.for %k = %c0 to %steps step %c1 iter_args(%s = %z) -> (tensor<128x256xf32>) {
      %l = tile.load %a[%m, %k] tile [128, 64] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %r = tile.load %b[%n, %k] tile [256, 64] : memref<?x?xbf16> -> tensor<256x64xbf16>
      %d = tile.dot %l, transpose %r, %s : tensor<128x64xbf16>, tensor<256x64xbf16>, tensor<128x256xf32>
      scf.yield %d : tensor<128x256xf32>
    }
    tile.store %q, %c[%m, %n] : tensor<128x256xf32>, memref<?x?xf32>
    %one = tile.splat 1.0 [32768] : tensor<32768xf32>
    %res = scf.for %i = %c0 to %c3 step %c1 iter_args(%so = %one) -> (tensor<32768xf32>) {
      %raw = tile.load %slots[%i, %c0] tile [32768] : memref<3x32768xbf16, #tile.symmetric> -> tensor<32768xbf16>
      %v = arith.extf %raw : tensor<32768xbf16> to tensor<32768xf32>
      %w = arith.addf %so, %v : tensor<32768xf32>
      scf.yield %w : tensor<32768xf32>
    }
    tile.store %res, %y[%m, %n, %c0] : tensor<32768xf32>, memref<?x?x32768xf32>
  }
}
