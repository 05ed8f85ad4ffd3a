// RUN: tilec-opt %s --split-input-file --verify-diagnostics

tile.program @carried_buffer(%a: memref<4xf32>, %b: memref<4xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.forall (%m) in [4] {
    // expected-error @below {{'scf.for' op chooses or carries a buffer of type 'memref<4xf32>', expected an index into a leading dimension}}
    %x = scf.for %i = %zero to %m step %one iter_args(%y = %a) -> memref<4xf32> {
      scf.yield %b : memref<4xf32>
    }
  }
}

// -----

tile.program @chosen_buffer(%a: memref<4xf32>, %b: memref<4xf32>) {
  %true = arith.constant true
  tile.forall (%m) in [4] {
    // expected-error @below {{'arith.select' op chooses or carries a buffer of type 'memref<4xf32>', expected an index into a leading dimension}}
    %x = arith.select %true, %a, %b : memref<4xf32>
  }
}

// -----

tile.program @element_access(%a: memref<4xf32>) {
  tile.forall (%m) in [4] {
    // expected-error @below {{'memref.load' op accesses memory, expected 'tile.load', 'tile.store', 'tile.atomic' or 'tile.alloc'}}
    %x = memref.load %a[%m] : memref<4xf32>
  }
}

// -----

tile.program @other_loops() {
  tile.forall (%m) in [4] {
    // expected-error @below {{'scf.forall' op is not part of the language, expected 'scf.for' or 'scf.if'}}
    scf.forall (%i) in (4) {
    }
  }
}

// -----

tile.program @tile_between_statements() {
  // expected-error @below {{'tile.splat' op computes a tile outside of a task, expected a 'tile.forall', a 'tile.role' or an epilogue}}
  %t = tile.splat 0.0 [4] : tensor<4xf32>
}

// -----

tile.program @no_tile() {
  tile.forall (%m) in [4] {
    // expected-error @below {{'arith.constant' op computes 'tensor<4xi64>', which is no tile}}
    %t = arith.constant dense<0> : tensor<4xi64>
  }
}

// -----

tile.program @access_between_statements(%a: memref<4xf32>, %b: memref<4xf32>) {
  %zero = arith.constant 0 : index
  // expected-error @below {{'tile.store' op accesses memory outside of a task, expected a 'tile.forall', a 'tile.role' or an epilogue}}
  tile.store %t, %b[%zero] : tensor<4xf32>, memref<4xf32>
  tile.forall (%m) in [4] {
    %t = tile.splat 0.0 [4] : tensor<4xf32>
  }
}

// -----

tile.program @barrier_between_statements() {
  // expected-error @below {{'tile.barrier' op expected a 'tile.role' around it}}
  tile.barrier
}
