// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec run %s --world 3 --pattern sequential-push --launches 3 --extents-from 1,40,100 --shuffle --seed 7

// The reader looks one tile back, before the start of the grid.
tile.program @halo_subi<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%c: %M, 64] {
  %s = tile.alloc [%M, 64] : memref<?x64xf32>
  %step = arith.constant 32 : index
  %cols = arith.constant 0 : index
  tile.forall (%m) in [%M ceildiv 32] {
    %t = tile.load %a[%m, %cols] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    %u = arith.addf %t, %t : tensor<32x64xf32>
    tile.store %u, %s[%m, %cols] : tensor<32x64xf32>, memref<?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %row = arith.muli %m, %step : index
    %other = arith.subi %row, %step : index
    %t = tile.load %s at (%other, %cols) tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    %u = arith.addf %t, %t : tensor<32x64xf32>
    tile.store %u, %c[%m, %cols] : tensor<32x64xf32>, memref<?x64xf32>
  }
}
