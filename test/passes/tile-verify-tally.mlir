// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize,tile-verify))' --split-input-file --verify-diagnostics

// Who waits for tasks that count by chiplet waits for all of them.
tile.program @whole<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) world 1 extents [%a: %M, 64] [%b: %M, 64] {
  %rank = tile.rank
  %zero = arith.constant 0 : index
  %kept = tile.alloc [%M, 64] : memref<?x64xf32>
  %done = tile.signals [%M ceildiv 16] by_chiplet : !tile.signals<1>
  %all = tile.extent [%M ceildiv 16]
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
        %came = tile.wait agent %done[%zero] count [%all] : !tile.signals<1>
        %t = tile.load %kept[%m, %zero] tile [16, 64] after %came : memref<?x64xf32> -> tensor<16x64xf32>
        tile.store %t, %b[%m, %zero] : tensor<16x64xf32>, memref<?x64xf32>
      }
    }
  }
}

// -----

tile.program @part<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) world 1 extents [%a: %M, 64] [%b: %M, 64] {
  %rank = tile.rank
  %zero = arith.constant 0 : index
  %kept = tile.alloc [%M, 64] : memref<?x64xf32>
  %done = tile.signals [%M ceildiv 16] by_chiplet : !tile.signals<1>
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
        // expected-error @below {{waits for 1 of 13 signals whose tasks count by chiplet: expected a wait for all of them, with M=200}}
        %came = tile.wait agent %done[%m] : !tile.signals<1>
        %t = tile.load %kept[%m, %zero] tile [16, 64] after %came : memref<?x64xf32> -> tensor<16x64xf32>
        tile.store %t, %b[%m, %zero] : tensor<16x64xf32>, memref<?x64xf32>
      }
    }
  }
}

// -----

tile.program @twice<%M>(%a: memref<?x64xf32>) world 1 extents [%a: %M, 64] {
  %rank = tile.rank
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %done = tile.signals [2] by_chiplet : !tile.signals<1>
  tile.kernel @k {
    tile.role @count {
      tile.forall (%m) in [4] {
        %half = arith.divui %m, %two : index
        // expected-error @below {{raises [0] of rank 0 again, whose tasks count by chiplet: expected one task for each signal, with M=200}}
        tile.signal agent %done[%half] to %rank : !tile.signals<1>
      }
    }
    tile.role @wait {
      tile.forall (%m) in [4] {
        %came = tile.wait agent %done[%zero] count [%two] : !tile.signals<1>
      }
    }
  }
}
