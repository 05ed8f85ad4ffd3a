// RUN: tilec-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{custom op 'tile.program' 'ceildiv' by 0, expected a positive value}}
tile.program @division<%M>(%a: memref<?xf32>) extents [%a: %M ceildiv 0] {}

// -----

// expected-error @below {{custom op 'tile.program' expected an extent: an integer, W, a value, a parameter or '('}}
tile.program @atom<%M>(%a: memref<?xf32>) extents [%a: %M + ] {}

// -----

tile.program @nesting<%M>() {
  // expected-error @below {{custom op 'tile.extent' parentheses are nested more than 64 deep}}
  %x = tile.extent [((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((%M))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))]
}

// -----

// expected-note @below {{declare it in the program, as in 'tile.param @BM in [64, 128]'}}
tile.program @unknown_parameter() {
  // expected-error @below {{'tile.extent' op unknown parameter @BM}}
  %x = tile.extent [@BM]
}

// -----

// expected-note @below {{declare it in the program, as in 'tile.param @BM in [64, 128]'}}
tile.program @no_parameter() {
  tile.kernel @BM {}
  // expected-error @below {{'tile.extent' op unknown parameter @BM}}
  %x = tile.extent [@BM]
}

// -----

tile.program @symbols() {
  // expected-error @below {{'tile.extent' op extent map has 2 symbols, expected 1}}
  %x = "tile.extent"() <{sizes = affine_map<()[s0, s1] -> (s0)>, params = []}> : () -> index
}

// -----

tile.program @power_of_two(%a: memref<64xf32>) {
  // expected-error @below {{'tile.forall' op tile size 44 in dimension 0, expected a power of two or a multiple of 8}}
  tile.forall (%m) over %a tiles [44] : memref<64xf32> {}
}

// -----

tile.program @side(%a: memref<64xf32>) {
  // expected-error @below {{'tile.forall' op tile size 131072 in dimension 0, expected at most 65536}}
  tile.forall (%m) over %a tiles [131072] : memref<64xf32> {}
}

// -----

tile.program @elements(%a: memref<64x64xf32>) {
  // expected-error @below {{'tile.forall' op tile has more than 1048576 elements}}
  tile.forall (%m, %n) over %a tiles [65536, 65536] : memref<64x64xf32> {}
}

// -----

tile.program @shape_rank() {
  tile.forall (%m) in [4] {
    // expected-error @below {{'tile.splat' op tile of rank 5, expected at most 4}}
    %t = tile.splat 0.0 [1, 1, 1, 1, 1] : tensor<1x1x1x1x1xf32>
  }
}

// -----

tile.program @value_rank() {
  tile.forall (%m) in [4] {
    // expected-error @below {{'arith.constant' op tile of rank 5, expected at most 4}}
    %t = arith.constant dense<0.0> : tensor<1x1x1x1x1xf32>
  }
}

// -----

tile.program @value_size() {
  tile.forall (%m) in [4] {
    // expected-error @below {{'arith.constant' op tile size 12 in dimension 0, expected a power of two or a multiple of 8}}
    %t = arith.constant dense<0.0> : tensor<12xf32>
  }
}

// -----

// expected-note @below {{ranks are counted from 0; the world is set here}}
tile.program @rank_of_the_world(%a: memref<64xf32, #tile.symmetric>, %b: memref<64xf32>) world 4 {
  // expected-note @below {{the rank is this constant}}
  %peer = arith.constant 4 : index
  tile.forall (%m) over %b tiles [64] : memref<64xf32> {
    // expected-error @below {{'tile.load' op addresses rank 4 of a world of 4}}
    %t = tile.load %a[%m] tile [64] from %peer : memref<64xf32, #tile.symmetric> -> tensor<64xf32>
    tile.store %t, %b[%m] : tensor<64xf32>, memref<64xf32>
  }
}

// -----

tile.program @choices(%a: memref<64xf32>) {
  // expected-note @below {{the choices are declared here}}
  tile.param @BM in [64, 100]
  // expected-error @below {{'tile.forall' op takes tile size 100 from parameter @BM, expected powers of two and multiples of 8 of at most 65536}}
  tile.forall (%m) over %a tiles [@BM] : memref<64xf32> {}
}

// -----

tile.program @dimensions() {
  tile.forall (%m) in [4] {
    // expected-error @below {{'tile.splat' op tile shape has 2 dimensions, expected 1 as in 'tensor<4xf32>'}}
    %t = tile.splat 0.0 [4, 4] : tensor<4xf32>
  }
}

// -----

tile.program @parametric_type() {
  tile.param @BM in [4]
  tile.forall (%m) in [4] {
    // expected-error @below {{'tile.splat' op expected '?' in dimension 0, whose size is the parameter @BM, got 'tensor<4xf32>'}}
    %t = tile.splat 0.0 [@BM] : tensor<4xf32>
  }
}

// -----

tile.program @static_type() {
  tile.forall (%m) in [4] {
    // expected-error @below {{'tile.splat' op expected 4 elements in dimension 0, as the tile shape says, got 'tensor<8xf32>'}}
    %t = tile.splat 0.0 [4] : tensor<8xf32>
  }
}

// -----

tile.program @shape_entry() {
  tile.forall (%m) in [4] {
    // expected-error @below {{'tile.splat' op attribute 'tile' failed to satisfy constraint: tile sizes: integers or parameters}}
    %t = "tile.splat"() <{literal = 0.0 : f32, tile = [4.0]}> : () -> tensor<4xf32>
  }
}

// -----

tile.program @terms() {
  %x = tile.extent [W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + 
      W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + 
      W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + 
      W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + 
      W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + 
      W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + W + 
      // expected-error @below {{custom op 'tile.extent' expression has more than 128 terms}}
      W + W + W + W + W + W + W + W + W + W]
}
