// RUN: split-file %s %t
// RUN: not tilec verify %t/short.mlir --world 1 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not tilec verify %t/data.mlir --world 1 2>&1 | FileCheck %s --check-prefix=DATA
// RUN: not tilec verify %t/meet.mlir --world 1 2>&1 | FileCheck %s --check-prefix=MEET
// Where a number of the launch, or data, says how much is written, some draw of a sample leaves too little.

//--- short.mlir
// SHORT: short.mlir:{{[0-9]+}}:12: error: reads element [0] of '%x' on rank 0, {{.*}}which no store of the launch writes, with M=200/%n=0
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
// DATA: error: reads element [0] of '%x' on rank 0, {{.*}}which no store of the launch writes, with M=200/other data
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
// MEET: error: data race: write of element [0] of '%b' on rank 0
tile.program @meet<%M>(%n: i32, %a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: 64 * %M] {
  tile.forall (%i) in [%M] {
    %c63 = arith.constant 63 : index
    %far = tile.clamp %n upto %c63 : i32
    %at = arith.muli %i, %far : index
    %t = tile.load %a[%i] tile [1] : memref<?xf32> -> tensor<1xf32>
    tile.store %t, %b[%at] : tensor<1xf32>, memref<?xf32>
  }
}
