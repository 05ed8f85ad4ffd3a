// RUN: split-file %s %t
// RUN: tilec verify %t/short.mlir --world 1 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: tilec verify %t/data.mlir --world 1 2>&1 | FileCheck %s --check-prefix=DATA
// RUN: tilec verify %t/meet.mlir --world 1 2>&1 | FileCheck %s --check-prefix=MEET
// Where a number of the launch, or data, says how much is written, samples draw some: nothing is claimed beyond them.

//--- short.mlir
// SHORT: short.mlir:15:12: warning: nothing is proven beyond the samples: it is not known for all extents whether what is read here is written
// SHORT: launches up to M=200 alone
tile.program @short<%M>(%n: i32, %a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %x = tile.alloc [%M] : memref<?xf32>
  tile.forall (%i) in [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = tile.extent [%M ceildiv 64]
    %e = tile.clamp %n upto %t : i32
    scf.for %j = %c0 to %e step %c1 {
      %u = tile.load %a[%j] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %u, %x[%j] : tensor<64xf32>, memref<?xf32>
    }
    scf.for %j = %c0 to %t step %c1 {
      %u = tile.load %x[%j] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %u, %b[%j] : tensor<64xf32>, memref<?xf32>
    }
  }
}

//--- data.mlir
// DATA: warning: nothing is proven beyond the samples: it is not known for all extents whether what is read here is written
// DATA: launches up to M=200 alone
tile.program @data<%M>(%n: memref<?xi32>, %a: memref<?xf32>, %b: memref<?xf32>) extents [%n: 2] [%a: %M] [%b: %M] {
  %x = tile.alloc [%M] : memref<?xf32>
  tile.forall (%i) in [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = tile.extent [%M ceildiv 64]
    %e = tile.read %n[%c0] upto %t : memref<?xi32>
    scf.for %j = %c0 to %e step %c1 {
      %u = tile.load %a[%j] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %u, %x[%j] : tensor<64xf32>, memref<?xf32>
    }
    scf.for %j = %c0 to %t step %c1 {
      %u = tile.load %x[%j] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %u, %b[%j] : tensor<64xf32>, memref<?xf32>
    }
  }
}

//--- meet.mlir
// With 0 all tasks store one element.
// MEET: warning: nothing is proven beyond the samples: it is not known for all extents whether two tasks meet here
tile.program @meet<%M>(%n: i32, %a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: 64 * %M] {
  tile.forall (%i) in [%M] {
    %c63 = arith.constant 63 : index
    %far = tile.clamp %n upto %c63 : i32
    %at = arith.muli %i, %far : index
    %t = tile.load %a[%i] tile [1] : memref<?xf32> -> tensor<1xf32>
    tile.store %t, %b[%at] : tensor<1xf32>, memref<?xf32>
  }
}
