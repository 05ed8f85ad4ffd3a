// Two statements that update one buffer, by a sum and by a maximum, got no waits for each other, as if they commuted: the program was refused as a data race.
// RUN: for p in sequential specialized bulk; do tilec verify %s --world 1 --pattern $p || exit 1; done | FileCheck %s
// RUN: tilec run %s --world 1 --extent M=200 --race --memory weak --shuffle --launches 3
// Two sums still wait for nothing.
// RUN: tilec %s --world 1 --pattern sequential --until=waits | FileCheck %s --check-prefix=WAITS
// CHECK-COUNT-3: progress any
// WAITS: tile.role @combine_3
// WAITS-NOT: written by role combine_2
// WAITS: tile.atomic add
// WAITS: written by role combine_3
// WAITS: tile.atomic maximum
tile.program @mixed<%M>(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) extents [%x: %M] [%y: %M] [%z: %M] {
  %s = tile.alloc [%M] : memref<?xf32>
  tile.forall (%i) in [%M ceildiv 64] {
    %c = tile.splat 1.0 [64] : tensor<64xf32>
    tile.store %c, %s[%i] : tensor<64xf32>, memref<?xf32>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %t = tile.load %x[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.atomic add %t, %s[%i] : tensor<64xf32>, memref<?xf32>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %t = tile.load %x[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.atomic add %t, %s[%i] : tensor<64xf32>, memref<?xf32>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %t = tile.load %y[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.atomic maximum %t, %s[%i] : tensor<64xf32>, memref<?xf32>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %t = tile.load %s[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %z[%i] : tensor<64xf32>, memref<?xf32>
  }
}
