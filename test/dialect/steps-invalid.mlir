// RUN: tilec-opt %s --split-input-file --verify-diagnostics

tile.program @carries<%N>(%v: memref<?xf32>) extents [%v: %N] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{'scf.for' op around statements carries a value from step to step, expected a buffer with a leading dimension that steps take in turn}}
  %last = scf.for %s = %c0 to %c4 step %c1 iter_args(%a = %c0) -> (index) {
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.splat 0.0 [64] : tensor<64xf32>
      tile.store %t, %v[%i] : tensor<64xf32>, memref<?xf32>
    }
    scf.yield %s : index
  }
}

// -----

tile.program @stays<%N>(%v: memref<?xf32>) extents [%v: %N] {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{'scf.for' op around statements has a step of 0, expected at least 1}}
  scf.for %s = %c0 to %c4 step %c0 {
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.splat 0.0 [64] : tensor<64xf32>
      tile.store %t, %v[%i] : tensor<64xf32>, memref<?xf32>
    }
  }
}

// -----

tile.program @open_step<%N, %D>(%v: memref<?xf32>) extents [%v: %N] {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{'scf.for' op around statements has a step that is no literal, expected a constant of at least 1}}
  scf.for %s = %c0 to %c4 step %D {
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.splat 0.0 [64] : tensor<64xf32>
      tile.store %t, %v[%i] : tensor<64xf32>, memref<?xf32>
    }
  }
}

// -----

tile.program @nested<%N>(%v: memref<?xf32>) extents [%v: %N] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %s = %c0 to %c4 step %c1 {
    scf.for %r = %c0 to %c4 step %c1 {
      // expected-error @below {{'tile.forall' op must be a statement of a 'tile.program', alone or in one 'scf.for', or stand in a 'tile.role'}}
      tile.forall (%i) in [%N ceildiv 64] {
        %t = tile.splat 0.0 [64] : tensor<64xf32>
        tile.store %t, %v[%i] : tensor<64xf32>, memref<?xf32>
      }
    }
  }
}

// -----

// Statements of steps are checked as others are.
tile.program @conflict<%N>(%v: memref<?xf32>) extents [%v: %N] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %s = %c0 to %c4 step %c1 {
    // expected-note @below {{the index is declared here}}
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.splat 0.0 [64] : tensor<64xf32>
      // expected-error @below {{writes one tile in several tasks: its place does not depend on index 0}}
      tile.store %t, %v[%s] : tensor<64xf32>, memref<?xf32>
    }
  }
}

// -----

// A bound from memory would be a read outside of a task.
tile.program @data<%N>(%v: memref<?xf32>, %n: memref<1xi32>) extents [%v: %N] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{accesses memory outside of a task}}
  %count = tile.read %n[%c0] upto %c4 : memref<1xi32>
  scf.for %s = %c0 to %count step %c1 {
    tile.forall (%i) in [%N ceildiv 64] {
      %t = tile.splat 0.0 [64] : tensor<64xf32>
      tile.store %t, %v[%i] : tensor<64xf32>, memref<?xf32>
    }
  }
}
