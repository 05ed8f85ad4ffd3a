// RUN: tilec-opt %s --split-input-file --verify-diagnostics

tile.program @splat_of_a_vector() {
  // expected-error @below {{custom op 'tile.splat' splat of type 'vector<4xf32>', expected a tensor}}
  %t = tile.splat 0.0 [4] : vector<4xf32>
}

// -----

tile.program @fraction() {
  // expected-error @below {{custom op 'tile.splat' literal does not fit elements of type 'i32'}}
  %t = tile.splat 0.5 [4] : tensor<4xi32>
}

// -----

tile.program @literal_too_large() {
  // expected-error @below {{custom op 'tile.splat' literal 300 does not fit elements of type 'i8'}}
  %t = tile.splat 300 [4] : tensor<4xi8>
}

// -----

tile.program @no_value() {
  // expected-error @below {{'tile.splat' op needs either a value or a literal}}
  %t = "tile.splat"() <{tile = [4]}> : () -> tensor<4xf32>
}

// -----

tile.program @literal_type() {
  // expected-error @below {{'tile.splat' op repeats a value of type 'i32' in 'tensor<4xf32>'}}
  %t = "tile.splat"() <{literal = 1 : i32, tile = [4]}> : () -> tensor<4xf32>
}

// -----

tile.program @iota_dimension() {
  // expected-error @below {{'tile.iota' op dimension 1 of 'tensor<4xi32>', which has rank 1}}
  %t = tile.iota dim 1 tile [4] : tensor<4xi32>
}

// -----

tile.program @iota_type() {
  // expected-error @below {{'tile.iota' op elements of type 'f32', expected i32}}
  %t = tile.iota dim 0 tile [4] : tensor<4xf32>
}

// -----

tile.program @dot_rank() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4] : tensor<4xf32>
    // expected-error @below {{'tile.dot' op operands must have rank 2, got 'tensor<4xf32>', 'tensor<4xf32>' and 'tensor<4xf32>'}}
    %y = tile.dot %x, %x, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

tile.program @dot_types() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 4] : tensor<4x4xf32>
    %h = tile.splat 0.0 [4, 4] : tensor<4x4xbf16>
    // expected-error @below {{'tile.dot' op operands have element types 'f32' and 'bf16', expected one}}
    %y = tile.dot %x, %h, %x : tensor<4x4xf32>, tensor<4x4xbf16>, tensor<4x4xf32>
  }
}

// -----

tile.program @dot_of_bits() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0 [4, 4] : tensor<4x4xi1>
    %acc = tile.splat 0 [4, 4] : tensor<4x4xi32>
    // expected-error @below {{'tile.dot' op multiplies elements of type i1}}
    %y = tile.dot %x, %x, %acc : tensor<4x4xi1>, tensor<4x4xi1>, tensor<4x4xi32>
  }
}

// -----

tile.program @dot_accumulation() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 4] : tensor<4x4xbf16>
    %acc = tile.splat 0.0 [4, 4] : tensor<4x4xf32>
    // expected-error @below {{'tile.dot' op says how products of 'bf16' accumulate, which is open for eight-bit floats alone}}
    %y = tile.dot %x, %x, %acc accumulate fast : tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4x4xf32>
  }
}

// -----

tile.program @dot_accumulator_type() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 4] : tensor<4x4xbf16>
    // expected-error @below {{'tile.dot' op accumulates 'bf16' products in 'bf16', expected 'f32'}}
    %y = tile.dot %x, %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4x4xbf16>
  }
}

// -----

tile.program @dot_depth() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    %acc = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.dot' op contracts 8 columns of the left operand with 4 of the right one}}
    %y = tile.dot %x, %x, %acc : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
}

// -----

tile.program @dot_shape() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.dot' op accumulator has type 'tensor<4x8xf32>', expected 4 x 4}}
    %y = tile.dot %x, transpose %x, %x : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
}

// -----

tile.program @reduce_dimension() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.reduce' op dimension 2 of 'tensor<4x8xf32>', which has rank 2}}
    %y = tile.reduce add %x dim 2 : tensor<4x8xf32> -> tensor<4xf32>
  }
}

// -----

tile.program @reduce_shape() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.reduce' op result has type 'tensor<4xf32>', expected 'tensor<4x8xf32>' without dimension 0}}
    %y = tile.reduce add %x dim 0 : tensor<4x8xf32> -> tensor<4xf32>
  }
}

// -----

tile.program @broadcast_dimensions() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4] : tensor<4xf32>
    // expected-error @below {{'tile.broadcast' op names 2 dimensions, expected 1 as in 'tensor<4xf32>'}}
    %y = tile.broadcast %x dims [0, 1] tile [4, 8] : tensor<4xf32> -> tensor<4x8xf32>
  }
}

// -----

tile.program @broadcast_type() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4] : tensor<4xf32>
    // expected-error @below {{'tile.broadcast' op changes the element type from 'f32' to 'bf16'}}
    %y = tile.broadcast %x dims [0] tile [4, 8] : tensor<4xf32> -> tensor<4x8xbf16>
  }
}

// -----

tile.program @broadcast_order() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.broadcast' op dimensions must be increasing and below 3}}
    %y = tile.broadcast %x dims [1, 0] tile [8, 4, 2] : tensor<4x8xf32> -> tensor<8x4x2xf32>
  }
}

// -----

tile.program @broadcast_size() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4] : tensor<4xf32>
    // expected-error @below {{'tile.broadcast' op dimension 0 of 'tensor<4xf32>' does not fit dimension 1 of 'tensor<4x8xf32>'}}
    %y = tile.broadcast %x dims [1] tile [4, 8] : tensor<4xf32> -> tensor<4x8xf32>
  }
}

// -----

tile.program @transpose_rank() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.transpose' op permutes 1 dimensions, expected 2}}
    %y = tile.transpose %x [0] : tensor<4x8xf32> -> tensor<4x8xf32>
  }
}

// -----

tile.program @transpose_permutation() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.transpose' op is no permutation of 2 dimensions}}
    %y = tile.transpose %x [1, 1] : tensor<4x8xf32> -> tensor<8x8xf32>
  }
}

// -----

tile.program @transpose_shape() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.transpose' op result has type 'tensor<4x8xf32>', which is no permutation of 'tensor<4x8xf32>'}}
    %y = tile.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  }
}

// -----

tile.program @transpose_type() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.transpose' op changes the element type from 'f32' to 'bf16'}}
    %y = tile.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xbf16>
  }
}

// -----

tile.program @reshape_type() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.reshape' op changes the element type from 'f32' to 'bf16'}}
    %y = tile.reshape %x tile [32] : tensor<4x8xf32> -> tensor<32xbf16>
  }
}

// -----

tile.program @reshape_elements() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.reshape' op makes 64 elements of 32}}
    %y = tile.reshape %x tile [64] : tensor<4x8xf32> -> tensor<64xf32>
  }
}
