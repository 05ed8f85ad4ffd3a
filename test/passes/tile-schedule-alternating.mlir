// Half of the waves multiply while the others read and copy: a step reads its own slot and fills the one that was read before it, and
// has a meeting behind either part.
// DEFINE: %{target} = gfx942
// DEFINE: %{schedule} = tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=%{target}},tile-layout,tile-stage,tile-schedule{target=%{target}}))'
// RUN: %{schedule} | FileCheck %s --check-prefix=THROUGH
// REDEFINE: %{target} = gfx950
// RUN: %{schedule} | FileCheck %s --check-prefix=PAST
// RUN: %{schedule} | tilec-opt --pass-pipeline='builtin.module(tile.program(tile-count))' | FileCheck %s --check-prefix=COUNTED
// COUNTED: tile.await left 4
// COUNTED: tile.steps
// COUNTED: tile.await left 4
// COUNTED: tile.await left 0

// Through registers: one of two slots is full before the first step, and what is fetched for the other is in registers.
// THROUGH: %[[A:.*]] = tile.shared_buffer : memref<2x128x32xbf16
// THROUGH: %[[B:.*]] = tile.shared_buffer : memref<2x128x32xbf16
// THROUGH-COUNT-2: tile.fetch
// THROUGH-COUNT-2: tile.shared_store
// THROUGH: %[[FETCHED_A:.*]] = tile.fetch
// THROUGH-NEXT: %[[FETCHED_B:.*]] = tile.fetch
// THROUGH-NEXT: tile.barrier
// THROUGH-NOT: tile.shared_load
// THROUGH: tile.steps %{{.*}} slots 2 alternating carries(%{{.*}}, %[[FETCHED_A]], %[[FETCHED_B]] :
// THROUGH-NEXT: ^bb0(%[[K:.*]]: index, %[[SLOT:.*]]: index, %[[ACC:.*]]: tensor<128x128xf32, {{.*}}>, %[[NEXT_A:.*]]: tensor<128x32xbf16, {{.*}}>, %[[NEXT_B:.*]]: tensor
// THROUGH: %[[FILLED:.*]] = arith.remsi
// THROUGH: %[[AHEAD:.*]] = arith.minsi
// THROUGH: %[[LHS:.*]] = tile.shared_load %[[A]][%[[SLOT]]]
// THROUGH-NEXT: %[[RHS:.*]] = tile.shared_load %[[B]][%[[SLOT]]]
// THROUGH-NEXT: tile.shared_store %[[NEXT_A]], %[[A]][%[[FILLED]]]
// THROUGH-NEXT: %[[MORE_A:.*]] = tile.fetch %{{.*}}[%{{.*}}, %[[AHEAD]]]
// THROUGH-NEXT: tile.shared_store %[[NEXT_B]], %[[B]][%[[FILLED]]]
// THROUGH-NEXT: %[[MORE_B:.*]] = tile.fetch %{{.*}}[%{{.*}}, %[[AHEAD]]]
// THROUGH-NEXT: tile.barrier
// THROUGH-NEXT: tile.priority 1
// THROUGH-NEXT: %[[SUM:.*]] = tile.places
// THROUGH-NEXT: tile.dot %[[LHS]], transpose %[[RHS]], %[[ACC]]
// THROUGH: tile.priority 0
// THROUGH-NEXT: tile.meet
// THROUGH-NEXT: tile.next %[[SUM]], %[[MORE_A]], %[[MORE_B]]

// Past the registers: of four slots three are filled ahead; behind the accesses the next step's copies are there, and those of two more may be on their way.
// PAST: tile.await{{$}}
// PAST-NEXT: tile.meet
// PAST: tile.steps %{{.*}} slots 4 alternating carries(%{{[a-z_0-9]*}} :
// PAST: %[[FILLED:.*]] = arith.remsi
// PAST: tile.shared_load
// PAST-NEXT: tile.shared_load
// PAST-NEXT: tile.copy_async {{.*}} -> %{{.*}}[%[[FILLED]]]
// PAST-NEXT: tile.copy_async {{.*}} -> %{{.*}}[%[[FILLED]]]
// PAST-NEXT: tile.await{{$}}
// PAST-NEXT: tile.meet
// PAST-NEXT: tile.priority 1
// PAST: tile.priority 0
// PAST-NEXT: tile.meet
// PAST-NEXT: tile.next
// PAST: tile.await left 0
tile.program @product<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>)
    world 1 extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] attributes {schedule = #tile.schedule<waves = 8, halves = alternating>} {
  tile.kernel @product {
    tile.role @tiles {
      tile.forall (%m, %n) in [%M ceildiv 128, %N ceildiv 128] {
        %zero = tile.splat 0.0 [128, 128] : tensor<128x128xf32>
        %lb = arith.constant 0 : index
        %step = arith.constant 1 : index
        %ub = tile.extent [%K ceildiv 32]
        %acc = scf.for %k = %lb to %ub step %step iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
          %ta = tile.load %a[%m, %k] tile [128, 32] : memref<?x?xbf16> -> tensor<128x32xbf16>
          %tb = tile.load %b[%n, %k] tile [128, 32] : memref<?x?xbf16> -> tensor<128x32xbf16>
          %next = tile.dot %ta, transpose %tb, %sum : tensor<128x32xbf16>, tensor<128x32xbf16>, tensor<128x128xf32>
          scf.yield %next : tensor<128x128xf32>
        }
        tile.store %acc, %c[%m, %n] : tensor<128x128xf32>, memref<?x?xf32>
      }
    }
  }
}
