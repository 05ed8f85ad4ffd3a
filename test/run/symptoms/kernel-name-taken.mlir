// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec run %s --world 3 --pattern bulk --launches 3 --extents-from 1,40,100 --shuffle --seed 7

// A kernel written by hand has the name of the program.
tile.program @p<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%c: %M, 64] {
  %s = tile.alloc [%M, 64] : memref<?x64xf32>
  tile.kernel @p {
    tile.role @copy {
      tile.forall (%m, %n) in [%M ceildiv 32, 2] {
        %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
        tile.store %t, %s[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
      }
    }
  }
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %s[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    tile.store %t, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}
