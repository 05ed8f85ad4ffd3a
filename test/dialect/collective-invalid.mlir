// RUN: tilec-opt %s --split-input-file --verify-diagnostics

tile.program @ranks(%a: memref<4xf32>, %b: memref<4x4xf32>) {
  // expected-error @below {{'tile.all_reduce' op expected a destination of rank 1, as 'memref<4xf32>' has, got 'memref<4x4xf32>'}}
  tile.all_reduce %a into %b : memref<4xf32>, memref<4x4xf32>
}

// -----

// expected-note @below {{the source is declared here}}
// expected-note @below {{the destination is declared here}}
tile.program @in_place(%a: memref<4xf32>) {
  // expected-error @below {{'tile.shift' op source and destination overlap, expected buffers that are apart}}
  tile.shift %a into %a by 1 : memref<4xf32>, memref<4xf32>
}

// -----

tile.program @tiles(%a: memref<4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{'tile.all_reduce' op has tiles of rank 2, expected 1 as in 'memref<4xf32>'}}
  tile.all_reduce %a into %b tiles [4, 4] : memref<4xf32>, memref<4xf32>
}

// -----

// expected-note @below {{the source is declared here}}
// expected-note @below {{the destination is declared here}}
tile.program @element_types(%a: memref<4xf32>, %b: memref<?xbf16>) extents [%b: W * 4] {
  // expected-error @below {{'tile.all_gather' op expected a destination of 'f32', the element type of the source, got 'bf16'}}
  tile.all_gather %a into %b dim 0 : memref<4xf32>, memref<?xbf16>
}

// -----

// expected-note @below {{the source is declared here; dimensions are counted from 0}}
tile.program @dimension(%a: memref<4xf32>, %b: memref<?xf32>) extents [%b: W * 4] {
  // expected-error @below {{'tile.all_gather' op expected a dimension below 1, the rank of 'memref<4xf32>', got 1}}
  tile.all_gather %a into %b dim 1 : memref<4xf32>, memref<?xf32>
}

// -----

tile.program @static_sizes(%a: memref<4x4xf32>, %b: memref<4x8xf32>) {
  // expected-error @below {{'tile.shift' op expected 4 elements in dimension 1 of the destination, as in the source, got 8}}
  tile.shift %a into %b by 1 : memref<4x4xf32>, memref<4x8xf32>
}

// -----

tile.program @floats_into_integers(%a: memref<4xf32>, %b: memref<4xi32>) {
  // expected-error @below {{'tile.all_reduce' op expected a destination of floats, as the source has, got 'i32'}}
  tile.all_reduce %a into %b : memref<4xf32>, memref<4xi32>
}

// -----

// The destination needs W * M rows, for every M.
// expected-note @below {{the buffer is declared here}}
// expected-note @below {{its size must agree with this buffer's}}
tile.program @gather_into_one_block<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  // expected-error @below {{'tile.all_gather' op dimension 0 has size %M, expected W * %M}}
  tile.all_gather %a into %b dim 0 : memref<?xf32>, memref<?xf32>
}

// -----

// expected-note @below {{its size must agree with this buffer's}}
tile.program @scatter_of_one_block<%M>(%b: memref<?xf32>) extents [%b: %M] {
  // expected-note @below {{the buffer is declared here}}
  %a = tile.alloc [%M] : memref<?xf32, #tile.symmetric>
  // expected-error @below {{'tile.reduce_scatter' op dimension 0 has size %M, expected W * %M}}
  tile.reduce_scatter %a into %b dim 0 : memref<?xf32, #tile.symmetric>, memref<?xf32>
}

// -----

// expected-note @below {{the buffer is declared here}}
// expected-note @below {{its size must agree with this buffer's}}
tile.program @other_dimension<%M>(%a: memref<?x?xf32>, %b: memref<?x?xf32>) extents [%a: %M, %M] [%b: W * %M, %M + 1] {
  // expected-error @below {{'tile.all_gather' op dimension 1 has size %M + 1, expected %M}}
  tile.all_gather %a into %b dim 0 : memref<?x?xf32>, memref<?x?xf32>
}

// -----

// expected-note @below {{the buffer is declared here}}
// expected-note @below {{its size must agree with this buffer's}}
tile.program @world_of_the_program<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 4 extents [%a: %M] [%b: 2 * %M] {
  // expected-error @below {{'tile.all_gather' op dimension 0 has size %M * 2, expected W * %M}}
  tile.all_gather %a into %b dim 0 : memref<?xf32>, memref<?xf32>
}

// -----

tile.program @under_a_condition<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %rank = tile.rank
  %zero = arith.constant 0 : index
  %first = arith.cmpi eq, %rank, %zero : index
  scf.if %first {
    // expected-error @below {{'tile.all_reduce' op expects parent op 'tile.program'}}
    tile.all_reduce %a into %b : memref<?xf32>, memref<?xf32>
  }
}

// -----

// Sizes are named and signed as the author has them; this said `extent 0 + -100`.
// expected-note @below {{the buffer is declared here}}
// expected-note @below {{its size must agree with this buffer's}}
tile.program @differences<%M, %N>(%a: memref<?x?xf32>, %b: memref<?x?xf32, #tile.symmetric>)
    extents [%a: %M, %N] [%b: %M - 100, %N] {
  // expected-error @below {{'tile.shift' op dimension 0 has size %M - 100, expected %M}}
  tile.shift %a into %b by 1 : memref<?x?xf32>, memref<?x?xf32, #tile.symmetric>
}

// -----

// expected-note @below {{the buffer is declared here}}
// expected-note @below {{its size must agree with this buffer's}}
tile.program @products<%M, %N>(%a: memref<?x?xf32>, %b: memref<?x?xf32, #tile.symmetric>)
    extents [%a: (%N - 100) * 3 + %M ceildiv 64, %N] [%b: %M + %N, %N] {
  // expected-error @below {{'tile.shift' op dimension 0 has size %M + %N, expected (%N - 100) * 3 + %M ceildiv 64}}
  tile.shift %a into %b by 1 : memref<?x?xf32>, memref<?x?xf32, #tile.symmetric>
}

// -----

tile.program @kind(%a: memref<4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{expected add, maximum or minimum, got 'maximal'; did you mean 'maximum'?}}
  tile.all_reduce maximal %a into %b : memref<4xf32>, memref<4xf32>
}

// -----

tile.program @kind_of_bits(%a: memref<4xi32>, %b: memref<4xi32>) {
  // expected-error @below {{expected add, maximum or minimum, got 'xor'}}
  tile.all_reduce xor %a into %b : memref<4xi32>, memref<4xi32>
}

// -----

tile.program @five_dimensions(%a: memref<2x2x2x2x4xf32>, %b: memref<2x2x2x2x4xf32>) {
  // expected-error @below {{'tile.all_reduce' op takes buffers of 5 dimensions, expected at most 4, as tiles have}}
  tile.all_reduce %a into %b : memref<2x2x2x2x4xf32>, memref<2x2x2x2x4xf32>
}
