// A misspelt attribute changed nothing and said nothing: the program was compiled without it.
// RUN: tilec-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// expected-error @below {{'tile.program' op has no attribute 'paremeters'; did you mean 'parameters'?}}
tile.program @program(%a: memref<64xf32>) attributes {paremeters = {tile = 16 : i64}} {}

// -----

tile.program @forall(%a: memref<64xf32>) {
  // expected-error @below {{'tile.forall' op has no attribute 'sharedBytes'}}
  tile.forall (%i) in [4] attributes {sharedBytes = 4 : i64} {}
}

// -----

tile.program @load(%a: memref<64xf32>) {
  tile.forall (%i) over %a tiles [16] : memref<64xf32> {
    // expected-error @below {{'tile.load' op has no attribute 'tiles'; did you mean 'tile'?}}
    %t = tile.load %a[%i] tile [16] {tiles = [8]} : memref<64xf32> -> tensor<16xf32>
    tile.store %t, %a[%i] : tensor<16xf32>, memref<64xf32>
  }
}

// -----

tile.program @collective(%a: memref<64xf32, #tile.symmetric>, %b: memref<128xf32, #tile.symmetric>) world 2 {
  // expected-error @below {{'tile.all_gather' op has no attribute 'tile'; did you mean 'tiles'?}}
  tile.all_gather %a into %b dim 0 {tile = [32]}
      : memref<64xf32, #tile.symmetric>, memref<128xf32, #tile.symmetric>
}

// -----

tile.program @kernel(%a: memref<64xf32>) {
  // expected-error @below {{'tile.kernel' op has no attribute 'wave'; did you mean 'waves'?}}
  tile.kernel @k attributes {wave = 8 : i64} {}
}

// -----

tile.program @role(%a: memref<64xf32>) {
  tile.kernel @k {
    // expected-error @below {{'tile.role' op has no attribute 'workgroup'; did you mean 'workgroups'?}}
    tile.role @r attributes {workgroup = 8 : i64} {}
  }
}

// -----

tile.program @prefixed(%a: memref<64xf32>) {
  // expected-error @below {{unknown attribute 'tile.coment', expected tile.rest, tile.unrolled, tile.comment or tile.by_hand; did you mean 'tile.comment'?}}
  tile.forall (%i) in [4] attributes {tile.coment = "x"} {}
}

// -----

// expected-error @below {{unknown attribute 'hip.nam', expected hip.name,}}
"tile.x"() {hip.nam = "x"} : () -> ()

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
%view, %i = "any.values"() : () -> (!hip.view<f32, 1>, index)
// expected-error @below {{'hip.load' op has no attribute 'vectors'; did you mean 'vector'?}}
%t = "hip.load"(%view, %i) {operandSegmentSizes = array<i32: 1, 1, 0>, vector = 1 : i64, vectors = 2 : i64} : (!hip.view<f32, 1>, index) -> tensor<64xf32, #row>

// -----

// A misspelt attribute of an operation of MLIR's changed nothing either.
tile.program @foreign(%a: memref<64xf32>) {
  tile.forall (%i) over %a tiles [16] : memref<64xf32> {
    %t = tile.load %a[%i] tile [16] : memref<64xf32> -> tensor<16xf32>
    // expected-error @below {{'arith.addf' op has no attribute 'fastmat'; did you mean 'fastmath'?}}
    %u = arith.addf %t, %t {fastmat = 1 : i64} : tensor<16xf32>
    tile.store %u, %a[%i] : tensor<16xf32>, memref<64xf32>
  }
}

// -----

// A divisor that its author called positive was believed: -1 in place of -2.
tile.program @divisor<%M>(%a: memref<?xf32>) extents [%a: %M] {
  %c2 = arith.constant 2 : index
  %d = arith.subi %c2, %M : index
  // expected-error @below {{attribute 'hip.positive_divisor' is of what a text is printed from, expected it in a 'hip.kernel', 'hip.engine' or 'hip.launcher'}}
  %q = arith.floordivsi %M, %d {hip.positive_divisor} : index
}

// -----

// A comment of two lines was printed as code.
tile.program @lines(%a: memref<64xf32>) {
  // expected-error @below {{attribute 'tile.comment' is "x\0Aint y;", which is none of its values}}
  tile.forall (%i) in [4] attributes {tile.comment = "x\0Aint y;"} {}
}

// -----

// A backslash at the end of a comment made the next line of the text part of it.
tile.program @continued(%a: memref<64xf32>) {
  // expected-error @below {{attribute 'tile.comment' is "x \\ ", which is none of its values}}
  tile.forall (%i) in [4] attributes {tile.comment = "x \\ "} {}
}

// -----

tile.program @rest(%a: memref<64xf32>) {
  // expected-error @below {{attribute 'tile.rest' is unit, which is none of its values}}
  tile.forall (%i) in [4] attributes {tile.rest} {}
}

// -----

tile.program @unrolled(%a: memref<64xf32>) {
  // expected-error @below {{attribute 'tile.unrolled' is unit, which is none of its values}}
  tile.forall (%i) in [4] attributes {tile.unrolled} {}
}

// -----

// What other tools write has the name of a dialect.
tile.program @others(%a: memref<64xf32>) attributes {editor.fold = true} {}

// -----

tile.program @dealt(%a: memref<256xf32>) world 1 {
  // expected-error @below {{'tile.kernel' op has no attribute 'schedule'; did you mean 'dealing = #tile<dealing strided>'?}}
  tile.kernel @k attributes {schedule = "strided"} {
  }
}
