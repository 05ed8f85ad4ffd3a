// RUN: tilec-opt %s --split-input-file --verify-diagnostics

// Attributes of another kind than the operation's were dropped, and the program compiled as if nothing stood there.

// expected-error @below {{custom op 'tile.program' attribute 'pattern' failed to satisfy constraint: the overlap pattern}}
tile.program @pattern(%a: memref<64xf32>) attributes {pattern = "push"} {}

// -----

// expected-error @below {{custom op 'tile.program' attribute 'parameters' failed to satisfy constraint: dictionary}}
tile.program @parameters(%a: memref<64xf32>) attributes {parameters = 5} {}

// -----

// expected-error @below {{custom op 'tile.program' attribute 'shapes' is said by its syntax, expected none in the dictionary}}
tile.program @shapes<%M>(%a: memref<?xf32>) extents [%a: %M] attributes {shapes = []} {}

// -----

tile.program @order(%a: memref<64xf32>) {
  // expected-error @below {{custom op 'tile.forall' attribute 'order' is said by its syntax, expected none in the dictionary}}
  tile.forall (%i) in [4] attributes {order = "foo"} {}
}

// -----

tile.program @dealing() {
  tile.kernel @k {
    // expected-error @below {{custom op 'tile.role' attribute 'workgroups' is said by its syntax, expected none in the dictionary}}
    tile.role @r attributes {workgroups = "x"} {}
  }
}

// -----

tile.program @split(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  // expected-error @below {{custom op 'tile.matmul' attribute 'split' is said by its syntax, expected none in the dictionary}}
  tile.matmul %a, %b into %c attributes {split = "x"} : memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>
}

// -----

tile.program @literal(%a: memref<64xf32>) {
  tile.forall (%i) in [4] {
    // expected-error @below {{custom op 'tile.splat' attribute 'literal' is said by its syntax, expected none in the dictionary}}
    %t = tile.splat 1.0 [16] {literal = 3} : tensor<16xf32>
  }
}
