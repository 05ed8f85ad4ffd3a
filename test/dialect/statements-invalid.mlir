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

tile.program @cast<%M>(%a: memref<?xf32>) extents [%a: %M] {
  // expected-error @below {{'memref.cast' op makes a view of type 'memref<8xf32>', expected 'memref.subview'}}
  %v = memref.cast %a : memref<?xf32> to memref<8xf32>
  tile.forall (%m) in [4] {
    %t = tile.load %v[%m] tile [4] : memref<8xf32> -> tensor<4xf32>
  }
}

// -----

tile.program @reinterpreted<%M>(%a: memref<?x4xf32>) extents [%a: %M, 4] {
  tile.forall (%m) in [4] {
    // expected-error @below {{'memref.reinterpret_cast' op makes a view of type 'memref<16xf32>', expected 'memref.subview'}}
    %v = memref.reinterpret_cast %a to offset: [0], sizes: [16], strides: [1] : memref<?x4xf32> to memref<16xf32>
    %t = tile.load %v[%m] tile [4] : memref<16xf32> -> tensor<4xf32>
  }
}

// -----

tile.program @transposed_view_of_a_view(%a: memref<8x8xf32>) {
  %u = memref.subview %a[0, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1]>>
  // expected-error @below {{'memref.transpose' op makes a view of type 'memref<8x4xf32, strided<[1, 8]>>', expected 'memref.subview'}}
  %v = memref.transpose %u (i, j) -> (j, i) : memref<4x8xf32, strided<[8, 1]>> to memref<8x4xf32, strided<[1, 8]>>
  %w = memref.subview %v[0, 0] [4, 4] [1, 1] : memref<8x4xf32, strided<[1, 8]>> to memref<4x4xf32, strided<[1, 8]>>
}

// -----

tile.program @collapsed_operand_of_a_collective(%a: memref<2x4x8xf32, #tile.symmetric>, %b: memref<16x8xf32, #tile.symmetric>) world 2 {
  // expected-error @below {{'memref.collapse_shape' op makes a view of type 'memref<8x8xf32, #tile.symmetric>', expected 'memref.subview'}}
  %v = memref.collapse_shape %a [[0, 1], [2]] : memref<2x4x8xf32, #tile.symmetric> into memref<8x8xf32, #tile.symmetric>
  tile.all_gather %v into %b dim 0 : memref<8x8xf32, #tile.symmetric>, memref<16x8xf32, #tile.symmetric>
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
    // expected-error @below {{'arith.constant' op computes 'tensor<4xi16>', which is no tile}}
    %t = arith.constant dense<0> : tensor<4xi16>
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

// -----

tile.program @no_workgroups<%M>() {
  // expected-error @below {{'tile.forall' op runs on 0 workgroups, expected 1 to 65536}}
  tile.forall (%m) in [%M] on 0 workgroups {}
}

// -----

tile.program @workgroups_of_a_step<%M>() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %s = %c0 to %c4 step %c1 {
    // expected-error @below {{'tile.forall' op runs on workgroups of its own inside a 'scf.for', expected a statement of a 'tile.program' outside of loops}}
    tile.forall (%m) in [%M] on 4 workgroups {}
  }
}

// -----

tile.program @workgroups_said_twice<%M>() {
  // expected-error @below {{custom op 'tile.forall' attribute 'workgroups' is said by its syntax, expected none in the dictionary}}
  tile.forall (%m) in [%M] attributes {workgroups = 4 : i64} {}
}

// -----

tile.program @workgroups_without_a_number<%M>() {
  // expected-error @below {{expected integer value}}
  tile.forall (%m) in [%M] on all workgroups {}
}
