// RUN: tilec-opt %s --split-input-file --verify-diagnostics

tile.program @splat_of_a_vector() {
  // expected-error @below {{custom op 'tile.splat' splat of type 'vector<4xf32>', expected a tensor}}
  %t = tile.splat 0.0 [4] : vector<4xf32>
}

// -----

tile.program @fraction() {
  // expected-error @below {{custom op 'tile.splat' expected a literal of type 'i32', got a float}}
  %t = tile.splat 0.5 [4] : tensor<4xi32>
}

// -----

tile.program @literal_too_large() {
  // expected-error @below {{custom op 'tile.splat' literal 300 does not fit elements of type 'i8'}}
  %t = tile.splat 300 [4] : tensor<4xi8>
}

// -----

tile.program @no_value() {
  // expected-error @below {{'tile.splat' op expected either a value or a literal, got neither}}
  %t = "tile.splat"() <{tile = [4]}> : () -> tensor<4xf32>
}

// -----

tile.program @literal_type() {
  // expected-error @below {{'tile.splat' op expected a value of type 'f32', as the elements of 'tensor<4xf32>', got 'i32'}}
  %t = "tile.splat"() <{literal = 1 : i32, tile = [4]}> : () -> tensor<4xf32>
}

// -----

tile.program @iota_dimension() {
  // expected-error @below {{'tile.iota' op expected a dimension below 1, the rank of 'tensor<4xi32>', got 1}}
  %t = tile.iota dim 1 tile [4] : tensor<4xi32>
}

// -----

tile.program @iota_type() {
  // expected-error @below {{'tile.iota' op expected elements of type i32, got 'f32'}}
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

tile.program @dot_of_floats_and_integers() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 4] : tensor<4x4xf32>
    // expected-note @below {{the right operand is made here; convert it with 'arith.sitofp' to f32}}
    %i = tile.splat 0 [4, 4] : tensor<4x4xi8>
    // expected-error @below {{'tile.dot' op expected a right operand of 'f32', as the left one has, got 'i8'}}
    %y = tile.dot %x, %i, %x : tensor<4x4xf32>, tensor<4x4xi8>, tensor<4x4xf32>
  }
}

// -----

tile.program @dot_types() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 4] : tensor<4x4xf32>
    // expected-note @below {{the right operand is made here; convert it with 'arith.extf' to f32}}
    %h = tile.splat 0.0 [4, 4] : tensor<4x4xbf16>
    // expected-error @below {{'tile.dot' op expected a right operand of 'f32', as the left one has, got 'bf16'}}
    %y = tile.dot %x, %h, %x : tensor<4x4xf32>, tensor<4x4xbf16>, tensor<4x4xf32>
  }
}

// -----

tile.program @dot_of_bits() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0 [4, 4] : tensor<4x4xi1>
    %acc = tile.splat 0 [4, 4] : tensor<4x4xi32>
    // expected-error @below {{'tile.dot' op expected operands of numbers, got elements of type i1}}
    %y = tile.dot %x, %x, %acc : tensor<4x4xi1>, tensor<4x4xi1>, tensor<4x4xi32>
  }
}

// -----

tile.program @dot_accumulation() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 4] : tensor<4x4xbf16>
    %acc = tile.splat 0.0 [4, 4] : tensor<4x4xf32>
    // expected-error @below {{'tile.dot' op expected operands of eight-bit floats with 'accumulate', got 'bf16'}}
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
    // expected-error @below {{'tile.dot' op expected 8 rows in the right operand, as the left one has columns, got 4}}
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

tile.program @dot_rows() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.dot' op accumulator has type 'tensor<4x8xf32>', expected 8 x 8}}
    %y = tile.dot transpose %x, %x, %x : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
}

// -----

tile.program @dot_depth() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.dot' op expected 4 columns in the right operand, as the left one has rows, got 8}}
    %y = tile.dot transpose %x, transpose %x, %x : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
}

// -----

tile.program @reduce_dimension() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.reduce' op expected a dimension below 2, the rank of 'tensor<4x8xf32>', got 2}}
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

tile.program @bits_of_floats() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.reduce' op combines elements of type 'f32' by 'xor', expected integers}}
    %y = tile.reduce xor %x dim 0 : tensor<4x8xf32> -> tensor<8xf32>
  }
}

// -----

tile.program @sum_of_bits(%x: memref<4x8xf32>) {
  tile.forall (%m) in [1] {
    %t = tile.load %x[%m, %m] tile [4, 8] : memref<4x8xf32> -> tensor<4x8xf32>
    %b = arith.cmpf ogt, %t, %t : tensor<4x8xf32>
    // expected-error @below {{'tile.reduce' op combines elements of type 'i1' by 'add', expected 'and', 'or' or 'xor'}}
    %y = tile.reduce add %b dim 0 : tensor<4x8xi1> -> tensor<8xi1>
  }
}

// -----

tile.program @place_of_a_sum() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.arg_reduce' op has kind 'add', expected 'maximum' or 'minimum'}}
    %y, %at = tile.arg_reduce add %x dim 0 : tensor<4x8xf32> -> tensor<8xf32>, tensor<8xi32>
  }
}

// -----

tile.program @places_are_i32() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.arg_reduce' op result has type 'tensor<8xi64>', expected 'tensor<4x8xi32>' without dimension 0}}
    %y, %at = tile.arg_reduce maximum %x dim 0 : tensor<4x8xf32> -> tensor<8xf32>, tensor<8xi64>
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
    // expected-error @below {{'tile.broadcast' op expected a result of 'f32', the element type of the operand, got 'bf16'}}
    %y = tile.broadcast %x dims [0] tile [4, 8] : tensor<4xf32> -> tensor<4x8xbf16>
  }
}

// -----

tile.program @broadcast_order() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.broadcast' op expected increasing dimensions below 3, the rank of 'tensor<8x4x2xf32>', got 0}}
    %y = tile.broadcast %x dims [1, 0] tile [8, 4, 2] : tensor<4x8xf32> -> tensor<8x4x2xf32>
  }
}

// -----

tile.program @broadcast_size() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4] : tensor<4xf32>
    // expected-error @below {{'tile.broadcast' op expected 4 elements in dimension 1 of the result, as dimension 0 of 'tensor<4xf32>' has, got 'tensor<4x8xf32>'}}
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
    // expected-error @below {{'tile.transpose' op expected each dimension below 2 once, got 1 twice}}
    %y = tile.transpose %x [1, 1] : tensor<4x8xf32> -> tensor<8x8xf32>
  }
}

// -----

tile.program @transpose_shape() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.transpose' op expected 8 elements in dimension 0 of the result, as dimension 1 of 'tensor<4x8xf32>' has, got 'tensor<4x8xf32>'}}
    %y = tile.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  }
}

// -----

tile.program @transpose_type() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.transpose' op expected a result of 'f32', the element type of the operand, got 'bf16'}}
    %y = tile.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xbf16>
  }
}

// -----

tile.program @reshape_type() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.reshape' op expected a result of 'f32', the element type of the operand, got 'bf16'}}
    %y = tile.reshape %x tile [32] : tensor<4x8xf32> -> tensor<32xbf16>
  }
}

// -----

tile.program @reshape_elements() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.reshape' op expected a result of 32 elements, as the operand has, got 64}}
    %y = tile.reshape %x tile [64] : tensor<4x8xf32> -> tensor<64xf32>
  }
}

// -----

tile.program @scan_dim() {
  tile.forall (%m) in [1] {
    %x = tile.splat 0.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.scan' op expected a dimension below 2, the rank of 'tensor<4x8xf32>', got 2}}
    %y = tile.scan add %x dim 2 : tensor<4x8xf32>
  }
}

// -----

tile.program @scan_bits() {
  tile.forall (%m) in [1] {
    %x = tile.splat 1 [4, 8] : tensor<4x8xi1>
    // expected-error @below {{'tile.scan' op scans elements of type 'i1', expected a wider type: convert them before, with 'arith.extui'}}
    %y = tile.scan or %x dim 0 : tensor<4x8xi1>
  }
}

// -----

tile.program @scan_small_floats() {
  tile.forall (%m) in [1] {
    %x = tile.splat 1.0 [4, 8] : tensor<4x8xf8E5M2>
    // expected-error @below {{'tile.scan' op scans elements of type 'f8E5M2', expected a wider type: convert them before, with 'arith.extf'}}
    %y = tile.scan add %x dim 0 : tensor<4x8xf8E5M2>
  }
}

// -----

tile.program @scan_kind() {
  tile.forall (%m) in [1] {
    %x = tile.splat 1.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.scan' op combines elements of type 'f32' by 'xor', expected integers}}
    %y = tile.scan xor %x dim 0 : tensor<4x8xf32>
  }
}

// -----

tile.program @scan_scratch(%s: memref<64xf32>) {
  tile.forall (%m) in [1] {
    %x = tile.splat 1.0 [4, 8] : tensor<4x8xf32>
    // expected-error @below {{'tile.scan' op has scratch of type 'memref<64xf32>', expected one dimension of 'f32' in LDS}}
    %y = tile.scan add %x dim 0 scratch %s in memref<64xf32> : tensor<4x8xf32>
  }
}
