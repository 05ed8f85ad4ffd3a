// RUN: split-file %s %t
// RUN: not tilec verify %t/overtakes.mlir --world 1 2>&1 | FileCheck %s --check-prefix=OVERTAKES
// RUN: not tilec verify %t/later.mlir --world 1 2>&1 | FileCheck %s --check-prefix=LATER
// RUN: tilec verify %t/behind.mlir --world 1 2>&1 | FileCheck %s --check-prefix=BEHIND --implicit-check-not=warning
// What a loop reads are elements that earlier iterations have stored, not those that it stores at some time.

//--- overtakes.mlir
// Each step reads 72 elements on, and stores 64 of them four steps ahead: from step 25 on the read is in front.
// OVERTAKES: error: reads element [1792] of '%x' on rank 0, by task (0) of role {{.*}}, before any store of the launch, with M=1537
tile.program @overtakes<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %x = tile.alloc [%M + 256] : memref<?xf32>
  %n = tile.extent [(%M + 256) ceildiv 64]
  tile.forall (%t) in [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = tile.splat 1.0 [256] : tensor<256xf32>
    tile.store %z, %x[%c0] : tensor<256xf32>, memref<?xf32>
    scf.for %s = %c0 to %n step %c1 {
      %v = tile.load %x[%s] tile [72] : memref<?xf32> -> tensor<72xf32>
      tile.store %v, %b[%s] : tensor<72xf32>, memref<?xf32>
      %s4 = arith.addi %s, %c4 : index
      %u = tile.load %a[%s] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %u, %x[%s4] : tensor<64xf32>, memref<?xf32>
    }
  }
}

//--- later.mlir
// The store stands in front of the read, and writes what the next iteration would have to have written.
// LATER: error: reads element {{.*}} of '%x' on rank 0, by task (0) of role
tile.program @later<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %x = tile.alloc [%M + 64] : memref<?xf32>
  %n = tile.extent [%M ceildiv 64]
  tile.forall (%t) in [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %s = %c0 to %n step %c1 {
      %u = tile.load %a[%s] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %u, %x[%s] : tensor<64xf32>, memref<?xf32>
      %s1 = arith.addi %s, %c1 : index
      %v = tile.load %x[%s1] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %v, %b[%s] : tensor<64xf32>, memref<?xf32>
    }
  }
}

//--- behind.mlir
// Each step reads what it has stored, and what the step before did.
// BEHIND: progress any
tile.program @behind<%M>(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) extents [%a: %M] [%b: %M] [%c: %M] {
  %x = tile.alloc [%M + 64] : memref<?xf32>
  %n = tile.extent [%M ceildiv 64]
  tile.forall (%t) in [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %s = %c0 to %n step %c1 {
      %u = tile.load %a[%s] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %u, %x[%s] : tensor<64xf32>, memref<?xf32>
      %v = tile.load %x[%s] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %v, %b[%s] : tensor<64xf32>, memref<?xf32>
      %before = arith.subi %s, %c1 : index
      %w = tile.load %x[%before] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %w, %c[%s] : tensor<64xf32>, memref<?xf32>
    }
  }
}
