// Tasks, waits and signals are recorded with --trace alone, by one wave of each part of a workgroup.
// RUN: tilec %s --world 2 --target gfx942 --trace --pattern specialized-push --emit=hip | FileCheck %s
// RUN: tilec %s --world 2 --target gfx942 --pattern specialized-push --emit=hip | FileCheck %s --check-prefix=WITHOUT
// RUN: tilec %s --world 2 --target gfx942 --trace --pattern specialized-push --emit=manifest | FileCheck %s --check-prefix=MANIFEST
// RUN: tilec %s --world 2 --target gfx942 --trace --pattern specialized-push --until=trace | FileCheck %s --check-prefix=IR

tile.program @gather<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) extents [%a: %M, 64] [%b: W * %M, 64] {
  %all = tile.alloc [W * %M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.all_gather %a into %all dim 0 : memref<?x64xf32>, memref<?x64xf32, #tile.symmetric>
  tile.forall (%i, %j) over %all tiles [32, 64] : memref<?x64xf32, #tile.symmetric> {
    %t = tile.load %all[%i, %j] tile [32, 64] : memref<?x64xf32, #tile.symmetric> -> tensor<32x64xf32>
    %s = arith.addf %t, %t : tensor<32x64xf32>
    tile.store %s, %b[%i, %j] : tensor<32x64xf32>, memref<?x64xf32>
  }
}

// CHECK: const tilec::Launch launch = tilec::enter(context);
// CHECK-NEXT: const tilec::Trace trace = tilec::trace(launch, 0);
// CHECK: for (int task = tilec::next(launch, 0)
// CHECK-NEXT: tilec::task_begins(trace, 0, task);
// CHECK: tilec::signalling(trace, [[SENT:[a-z_]+]], [[TOLD:.*]]);
// CHECK: tilec::signal<tilec::system>(launch, [[SENT]], [[TOLD]]);
// CHECK-NEXT: tilec::task_ends(trace);
// CHECK-NEXT: }
// CHECK: tilec::task_begins(trace, 1, task);
// CHECK: tilec::wait_begins(trace, [[SENT]], [[BOX:.*]]);
// CHECK: tilec::wait<tilec::system>(launch, [[SENT]], [[BOX]]);
// CHECK-NEXT: tilec::wait_ends(trace);
// CHECK: tilec::task_ends(trace);

// WITHOUT-NOT: {{tilec::Trace|task_begins|wait_begins}}
// MANIFEST: "traced": true
// IR: hip.trace
// IR: hip.task_begins
