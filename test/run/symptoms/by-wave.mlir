// RUN: tilec verify %s --world 3
// RUN: tilec %s --world 3 --emit hip | FileCheck %s
// RUN: tilec run %s --world 3 --memory weak --shuffle --launches 3 --extents-from 1,40,100,200 --seed 3
// Every wave of four may wait for itself, where the signals are the workgroup's.
// RUN: sed 's/waves = 1/waves = 4/; s/signal system by wave/signal system/' %s > %t.four
// RUN: tilec verify %t.four --world 3
// RUN: tilec %t.four --world 3 --emit hip | FileCheck %t.four --check-prefix=FOUR
// RUN: tilec run %t.four --world 3 --memory weak --shuffle --launches 3 --extents-from 1,40,100,200 --seed 3
// Without the waits `verify` rejects both, and weak memory shows it.
// RUN: sed 's/ after %%arrived//' %s | not tilec verify - --world 3 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/tile.wait system by wave %%sent/d; s/ after %%arrived//' %s > %t.unsafe
// RUN: not tilec run %t.unsafe --no-verify --world 3 --memory weak --shuffle --launches 3 --extent M=100 --seed 3 2>&1 | FileCheck %s --check-prefix=WRONG

// RACE: data race: read of element {{.*}} of '%inbox'
// WRONG: elements exceed their bound
// CHECK: tilec::wait<tilec::system, tilec::wave>(launch, consumed, {0}, {1}, 2);
// CHECK: tilec::signal<tilec::system, tilec::wave>(launch, sent, {m, n}, next);
// CHECK: tilec::wait<tilec::system, tilec::wave>(launch, sent, {m, n}, {1, 1});
// FOUR: tilec::signal<tilec::system>(launch, sent, {m, n}, next);
// FOUR: tilec::wait<tilec::system, tilec::wave>(launch, sent, {m, n}, {1, 1});

// One wave in each workgroup: signals and waits meet nobody.
tile.program @by_wave<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) extents [%a: %M, 64] [%b: %M, 64] {
  %inbox = tile.alloc [%M, 64] {copies = 2} : memref<?x64xf32, #tile.symmetric>
  %sent = tile.signals [%M ceildiv 32, 2] : !tile.signals<2>
  %consumed = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  %world = tile.world_size
  %after = arith.addi %rank, %one : index
  %next = arith.remui %after, %world : index
  %behind = arith.subi %world, %one : index
  %before = arith.addi %rank, %behind : index
  %previous = arith.remui %before, %world : index
  tile.kernel @by_wave attributes {waves = 1} {
    tile.role @send {
      %free = tile.wait system by wave %consumed[%zero] lag 2 : !tile.signals<1>
      tile.forall (%m, %n) in [%M ceildiv 32, 2] {
        %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
        %stored = tile.store %t, %inbox[%m, %n] to %next after %free : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric> -> !tile.token
        tile.signal system by wave %sent[%m, %n] to %next publishes %stored : !tile.signals<2>
      }
    }
    tile.role @receive {
      tile.forall (%m, %n) in [%M ceildiv 32, 2] {
        %arrived = tile.wait system by wave %sent[%m, %n] : !tile.signals<2>
        %t = tile.load %inbox[%m, %n] tile [32, 32] after %arrived : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
        %twice = arith.addf %t, %t : tensor<32x32xf32>
        tile.store %twice, %b[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
      }
    }
    tile.role @leave last {
      tile.signal system by wave %consumed[%zero] to %previous : !tile.signals<1>
    }
  }
}
