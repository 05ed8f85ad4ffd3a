// RUN: tilec-opt %s --split-input-file --verify-diagnostics

// Dimensions that must agree name one extent, or a condition relates theirs. A product that contracted %N with %K was
// accepted, and multiplied with zeros.
// expected-note @below {{the left-hand side is declared here}}
// expected-note @below {{the right-hand side is declared here}}
tile.program @contracts_n_with_k<%M, %N, %K>(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  // expected-error @below {{'tile.matmul' op contracts %K columns of the left-hand side with %N rows of a right-hand side, expected %K: it fits with 'transpose' before it}}
  tile.matmul %a, %b into %c : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
}

// -----

// expected-note @below {{the left-hand side is declared here}}
// expected-note @below {{the right-hand side is declared here}}
tile.program @transposed_needlessly<%M, %N, %K>(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>)
    extents [%a: %M, %K] [%b: %K, %N] [%c: %M, %N] {
  // expected-error @below {{'tile.matmul' op contracts %K columns of the left-hand side with %N columns of a right-hand side, expected %K: it fits without 'transpose'}}
  tile.matmul %a, transpose %b into %c : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
}

// -----

// A left-hand side that lies K x M: its rows fit nothing either, but what is contracted comes first.
// expected-note @below {{the left-hand side is declared here}}
// expected-note @below {{the right-hand side is declared here}}
tile.program @left_side_across<%M, %N, %K>(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>)
    extents [%a: %K, %M] [%b: %K, %N] [%c: %M, %N] {
  // expected-error @below {{'tile.matmul' op contracts %M columns of the left-hand side with %K rows of a right-hand side, expected %M}}
  tile.matmul %a, %b into %c : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
}

// -----

// A number is another size than an extent, unless a condition says what the extent is.
// expected-note @below {{the left-hand side is declared here}}
// expected-note @below {{the right-hand side is declared here}}
tile.program @contracts_k_with_64<%M, %K>(%a: memref<?x?xf32>, %b: memref<64x32xf32>, %c: memref<?x32xf32>)
    extents [%a: %M, %K] [%c: %M, 32] {
  // expected-error @below {{'tile.matmul' op contracts %K columns of the left-hand side with 64 rows of a right-hand side, expected %K}}
  tile.matmul %a, %b into %c : memref<?x?xf32>, memref<64x32xf32>, memref<?x32xf32>
}

// -----

// expected-note @below {{the buffer is declared here}}
// expected-note @below {{its size must agree with this buffer's: name one extent, or state 'where %R == %M'}}
tile.program @rows_of_a_product<%M, %R>(%a: memref<?x64xf32>, %b: memref<64x64xf32>, %c: memref<?x64xf32>)
    extents [%a: %M, 64] [%c: %R, 64] {
  // expected-error @below {{'tile.matmul' op dimension 0 has size %R, expected %M}}
  tile.matmul %a, %b into %c : memref<?x64xf32>, memref<64x64xf32>, memref<?x64xf32>
}

// -----

// expected-note @below {{the buffer is declared here}}
// expected-note @below {{its size must agree with this buffer's: name one extent, or state 'where %N == W * %M'}}
tile.program @gathered_into_another_extent<%M, %N>(%a: memref<?x64xf32>, %b: memref<?x64xf32>)
    extents [%a: %M, 64] [%b: %N, 64] {
  // expected-error @below {{'tile.all_gather' op dimension 0 has size %N, expected W * %M}}
  tile.all_gather %a into %b dim 0 : memref<?x64xf32>, memref<?x64xf32>
}

// -----

// Views know their sizes.
// expected-note @below {{its size must agree with this buffer's: name one extent, or state 'where %K == %M'}}
tile.program @sizes_of_a_view<%M, %K>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) extents [%a: %M, 64] [%b: %K + %M, 64] {
  // expected-note @below {{the buffer is declared here}}
  %rows = memref.subview %b[0, 0] [%K, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1]>>
  // expected-error @below {{'tile.all_reduce' op dimension 0 has size %K, expected %M}}
  tile.all_reduce %a into %rows : memref<?x64xf32>, memref<?x64xf32, strided<[64, 1]>>
}

// -----

// expected-note @below {{the first buffer is declared here}}
// expected-note @below {{the second buffer is declared here: name one extent, or relate them, as in 'where %K == %N'}}
tile.program @added_across_extents<%M, %N, %K>(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>)
    extents [%a: %M, %N] [%b: %M, %K] [%c: %M, %N] {
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x?xf32> {
    %x = tile.load %a[%m, %n] tile [32, 32] : memref<?x?xf32> -> tensor<32x32xf32>
    %y = tile.load %b[%m, %n] tile [32, 32] : memref<?x?xf32> -> tensor<32x32xf32>
    // expected-error @below {{'arith.addf' op combines tiles that run over %N and over %K elements at one index, expected one extent}}
    %z = arith.addf %x, %y : tensor<32x32xf32>
    tile.store %z, %c[%m, %n] : tensor<32x32xf32>, memref<?x?xf32>
  }
}

// -----

// expected-note @below {{the first buffer is declared here}}
// expected-note @below {{the second buffer is declared here}}
tile.program @stored_across_extents<%M, %N>(%a: memref<?xf32>, %c: memref<?xf32>) extents [%a: %M] [%c: %N] {
  tile.forall (%n) over %c tiles [32] : memref<?xf32> {
    %x = tile.load %a[%n] tile [32] : memref<?xf32> -> tensor<32xf32>
    %y = math.exp %x : tensor<32xf32>
    // expected-error @below {{'tile.store' op stores tiles that run over %M and over %N elements at one index, expected one extent}}
    tile.store %y, %c[%n] : tensor<32xf32>, memref<?xf32>
  }
}

// -----

// expected-note @below {{the first buffer is declared here}}
// expected-note @below {{the second buffer is declared here}}
tile.program @contracted_across_extents<%M, %N, %K>(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>)
    extents [%a: %M, %K] [%b: %K, %N] [%c: %M, %N] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x?xf32> {
    %init = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    %steps = tile.extent [%K ceildiv 32]
    %sum = scf.for %k = %zero to %steps step %one iter_args(%acc = %init) -> tensor<32x32xf32> {
      %x = tile.load %a[%m, %k] tile [32, 32] : memref<?x?xf32> -> tensor<32x32xf32>
      %y = tile.load %b[%n, %k] tile [32, 32] : memref<?x?xf32> -> tensor<32x32xf32>
      // expected-error @below {{'tile.dot' op contracts tiles that run over %K and over %N elements at one index, expected one extent}}
      %next = tile.dot %x, transpose %y, %acc : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
      scf.yield %next : tensor<32x32xf32>
    }
    tile.store %sum, %c[%m, %n] : tensor<32x32xf32>, memref<?x?xf32>
  }
}

// -----

// expected-note @below {{the buffer is declared here}}
// expected-note @below {{the destination of the product is declared here}}
tile.program @epilogue_of_other_columns<%M, %N, %K>(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %bias: memref<?xf32>, %c: memref<?x?xf32>)
    extents [%a: %M, %K] [%b: %K, %N] [%bias: %K] [%c: %M, %N] {
  tile.matmul %a, %b into %c tiles [32, 32, 32] : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32> epilogue (%row, %col, %p: tensor<32x32xf32>) {
    // expected-error @below {{'tile.load' op reads at the columns of a product, but dimension 0 has size %K, expected %N}}
    %x = tile.load %bias at (%col) tile [32] : memref<?xf32> -> tensor<32xf32>
    %y = tile.broadcast %x dims [1] tile [32, 32] : tensor<32xf32> -> tensor<32x32xf32>
    %z = arith.addf %p, %y : tensor<32x32xf32>
    tile.yield %z : tensor<32x32xf32>
  }
}

// -----

// A part that lies where the part of another rank belongs.
// expected-note @below {{the destination is declared here}}
tile.program @gathered_from_the_first_part<%M>(%full: memref<?x64xf32, #tile.symmetric>) extents [%full: W * %M, 64] {
  // expected-note @below {{the source is declared here}}
  %mine = memref.subview %full[0, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1]>, #tile.symmetric>
  // expected-error @below {{'tile.all_gather' op source and destination overlap, expected buffers that are apart, or a source that is this rank's part of the destination: a view at rank * %M in dimension 0}}
  tile.all_gather %mine into %full dim 0 : memref<?x64xf32, strided<[64, 1]>, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}

// -----

// expected-note @below {{the destination is declared here}}
tile.program @gathered_from_the_next_part<%M>(%full: memref<?x64xf32, #tile.symmetric>) extents [%full: W * %M, 64] {
  %rank = tile.rank
  %one = arith.constant 1 : index
  %next = arith.addi %rank, %one : index
  %all = tile.world_size
  %turned = arith.remui %next, %all : index
  %at = arith.muli %turned, %M : index
  // expected-note @below {{the source is declared here}}
  %mine = memref.subview %full[%at, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  // expected-error @below {{'tile.all_gather' op source and destination overlap, expected buffers that are apart, or a source that is this rank's part of the destination: a view at rank * %M in dimension 0}}
  tile.all_gather %mine into %full dim 0 : memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}

// -----

// expected-note @below {{the source is declared here}}
tile.program @scattered_into_the_first_part<%M>(%all: memref<?x64xf32, #tile.symmetric>) extents [%all: W * %M, 64] {
  %at = arith.constant 0 : index
  // expected-note @below {{the destination is declared here}}
  %mine = memref.subview %all[%at, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  // expected-error @below {{'tile.reduce_scatter' op source and destination overlap, expected buffers that are apart, or a destination that is this rank's part of the source: a view at rank * %M in dimension 0}}
  tile.reduce_scatter %all into %mine dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
}

// -----

tile.program @reduced_into_rows_below<%M>(%a: memref<?x64xf32, #tile.symmetric>) extents [%a: 2 * %M, 64] {
  %half = tile.extent [%M]
  %one = memref.subview %a[0, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1]>, #tile.symmetric>
  %two = memref.subview %a[%half, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  // Halves are apart.
  tile.all_reduce %one into %two : memref<?x64xf32, strided<[64, 1]>, #tile.symmetric>, memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  // expected-note @below {{the destination is declared here}}
  %left = memref.subview %a[0, 0] [%M, 32] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x32xf32, strided<[64, 1]>, #tile.symmetric>
  // expected-note @below {{the source is declared here}}
  %shifted = memref.subview %a[0, 8] [%M, 32] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x32xf32, strided<[64, 1], offset: 8>, #tile.symmetric>
  // expected-error @below {{'tile.all_reduce' op source and destination overlap, expected buffers that are apart, or one buffer}}
  tile.all_reduce %shifted into %left : memref<?x32xf32, strided<[64, 1], offset: 8>, #tile.symmetric>, memref<?x32xf32, strided<[64, 1]>, #tile.symmetric>
}

// -----

// expected-note @below {{the first buffer is declared here}}
// expected-note @below {{the second buffer is declared here: name one extent, or relate them, as in 'where %N == %M'}}
tile.program @sums_of_rows_into_columns<%M, %N>(%a: memref<?x?xf32>, %s: memref<?xf32>) extents [%a: %M, %N] [%s: %N] {
  tile.forall (%m) in [%M ceildiv 16] {
    %c0 = arith.constant 0 : index
    %t = tile.load %a[%m, %c0] tile [16, 64] : memref<?x?xf32> -> tensor<16x64xf32>
    %sum = tile.reduce add %t dim 1 : tensor<16x64xf32> -> tensor<16xf32>
    // expected-error @below {{'tile.store' op stores tiles that run over %M and over %N elements at one index, expected one extent}}
    tile.store %sum, %s[%m] : tensor<16xf32>, memref<?xf32>
  }
}

// -----

// expected-note @below {{the first buffer is declared here}}
// expected-note @below {{the second buffer is declared here: name one extent, or relate them, as in 'where %M == %N'}}
tile.program @transposed_in_one_tile_alone<%M, %N>(%a: memref<?x?xf32>, %g: memref<?xf32>, %b: memref<?x?xf32>) extents [%a: %M, %N] [%g: %N] [%b: %M, %N] {
  tile.forall (%m) in [%M ceildiv 16] {
    %c0 = arith.constant 0 : index
    %t = tile.load %a[%c0, %m] tile [16, 16] : memref<?x?xf32> -> tensor<16x16xf32>
    %turned = tile.transpose %t [1, 0] : tensor<16x16xf32> -> tensor<16x16xf32>
    %weights = tile.load %g[%m] tile [16] : memref<?xf32> -> tensor<16xf32>
    %rows = tile.broadcast %weights dims [0] tile [16, 16] : tensor<16xf32> -> tensor<16x16xf32>
    %scaled = arith.mulf %turned, %rows : tensor<16x16xf32>
    // expected-error @below {{'tile.store' op stores tiles that run over %N and over %M elements at one index, expected one extent}}
    tile.store %scaled, %b[%m, %c0] : tensor<16x16xf32>, memref<?x?xf32>
  }
}
