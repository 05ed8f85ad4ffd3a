// A grid with more signals than its loop has tasks stays one of signals: nobody would wait until there are as many.
// RUN: tilec %s --world 1 --target gfx942 --until=tally | FileCheck %s
// RUN: sed 's/ceildiv 16 + 3/ceildiv 16/' %s | tilec - --world 1 --target gfx942 --until=tally | FileCheck %s --check-prefix=AS-MANY
// CHECK-NOT: by_chiplet
// CHECK: tile.wait agent %done[%m]
// AS-MANY: by_chiplet
// AS-MANY: tile.wait agent %done[%{{.*}}] count
tile.program @more_words<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) extents [%a: %M, 64] [%b: %M, 64] attributes {granularity = #tile.granularity<statement>} {
  %rank = tile.rank
  %zero = arith.constant 0 : index
  %kept = tile.alloc [%M, 64] : memref<?x64xf32>
  %done = tile.signals [%M ceildiv 16 + 3] : !tile.signals<1>
  tile.kernel @k {
    tile.role @first_half {
      tile.forall (%m) in [%M ceildiv 16] {
        %t = tile.load %a[%m, %zero] tile [16, 64] : memref<?x64xf32> -> tensor<16x64xf32>
        %stored = tile.store %t, %kept[%m, %zero] : tensor<16x64xf32>, memref<?x64xf32> -> !tile.token
        tile.signal agent %done[%m] to %rank publishes %stored : !tile.signals<1>
      }
    }
    tile.role @second_half {
      tile.forall (%m) in [%M ceildiv 16] {
        %came = tile.wait agent %done[%m] : !tile.signals<1>
        %t = tile.load %kept[%m, %zero] tile [16, 64] after %came : memref<?x64xf32> -> tensor<16x64xf32>
        tile.store %t, %b[%m, %zero] : tensor<16x64xf32>, memref<?x64xf32>
      }
    }
  }
}
