// RUN: tilec-opt %s --split-input-file --verify-diagnostics

tile.program @no_rhs(%a: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op has no right-hand side}}
  tile.matmul %a into %c : memref<4x4xf32>, memref<4x4xf32>
}

// -----

tile.program @transposed(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op has 0 transpose flags for 1 right-hand sides}}
  "tile.matmul"(%a, %b, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, transposed = array<i1>}> ({}) : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
}

// -----

tile.program @combine(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op has 2 right-hand sides and no epilogue to combine them}}
  tile.matmul %a, %b, %b into %c : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
}

// -----

tile.program @ranks(%a: memref<4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op expected a left-hand side and a destination of two dimensions, or of as many more that number products, got 'memref<4xf32>' and 'memref<4x4xf32>'}}
  tile.matmul %a, %b into %c : memref<4xf32>, memref<4x4xf32>, memref<4x4xf32>
}

// -----

tile.program @rhs_rank(%a: memref<4x4xf32>, %b: memref<4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op expected a right-hand side of two dimensions, got 'memref<4xf32>'}}
  tile.matmul %a, %b into %c : memref<4x4xf32>, memref<4xf32>, memref<4x4xf32>
}

// -----

// expected-note @below {{the right-hand side is declared here; a 'tile.forall' before converts its tiles into a 'tile.alloc' of 'f32', with 'arith.extf' to f32}}
tile.program @element_types(%a: memref<4x4xf32>, %b: memref<4x4xbf16>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op expected a right-hand side of 'f32', the element type of the left one, got 'bf16'}}
  tile.matmul %a, %b into %c : memref<4x4xf32>, memref<4x4xbf16>, memref<4x4xf32>
}

// -----

// expected-note @below {{with 'arith.extf' to f32, then 'arith.truncf' to bf16}}
tile.program @bf16_with_f16(%a: memref<4x4xbf16>, %b: memref<4x4xf16>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op expected a right-hand side of 'bf16', the element type of the left one, got 'f16'}}
  tile.matmul %a, %b into %c : memref<4x4xbf16>, memref<4x4xf16>, memref<4x4xf32>
}

// -----

tile.program @depth(%a: memref<4x8xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op contracts 8 columns of 'memref<4x8xf32>' with 4 of 'memref<4x4xf32>'}}
  tile.matmul %a, %b into %c : memref<4x8xf32>, memref<4x4xf32>, memref<4x4xf32>
}

// -----

tile.program @columns(%a: memref<4x4xf32>, %b: memref<4x8xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op product with 'memref<4x8xf32>' does not fit 'memref<4x4xf32>'}}
  tile.matmul %a, %b into %c : memref<4x4xf32>, memref<4x8xf32>, memref<4x4xf32>
}

// -----

tile.program @rows(%a: memref<8x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op product of 'memref<8x4xf32>' does not fit 'memref<4x4xf32>'}}
  tile.matmul %a, %b into %c : memref<8x4xf32>, memref<4x4xf32>, memref<4x4xf32>
}

// -----

tile.program @tiles(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op has 2 tile sizes, expected rows, columns and depth}}
  tile.matmul %a, %b into %c tiles [4, 4] : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
}

// -----

tile.program @in_place(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op writes a buffer that it reads}}
  tile.matmul %a, %b into %a : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
}

// -----

// expected-note @below {{the buffer is declared here}}
// expected-note @below {{its size must agree with this buffer's}}
tile.program @extents<%M, %K>(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>)
    extents [%a: %M, %K] [%b: %M, %K] [%c: W * %M, %M] {
  // expected-error @below {{'tile.matmul' op dimension 0 has size W * %M, expected %M}}
  tile.matmul %a, transpose %b into %c : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
}

// -----

tile.program @epilogue_arguments(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op epilogue has 2 arguments, expected a row, a column and 1 tiles}}
  tile.matmul %a, %b into %c : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32> epilogue (%row, %col) {
    %t = tile.splat 0.0 [4, 4] : tensor<4x4xf32>
    tile.yield %t : tensor<4x4xf32>
  }
}

// -----

tile.program @epilogue_index(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op epilogue takes 'i32' for a row or column, expected index}}
  "tile.matmul"(%a, %b, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, transposed = array<i1: false>}> ({
  ^bb0(%row: i32, %col: index, %t: tensor<?x?xf32>):
    tile.yield %t : tensor<?x?xf32>
  }) : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
}

// -----

tile.program @epilogue_type(%a: memref<4x4xbf16>, %b: memref<4x4xbf16>, %c: memref<4x4xbf16>) {
  // expected-error @below {{'tile.matmul' op epilogue takes 'tensor<?x?xbf16>', expected a tile of 'f32'}}
  tile.matmul %a, %b into %c : memref<4x4xbf16>, memref<4x4xbf16>, memref<4x4xbf16> epilogue (%row, %col, %t: tensor<?x?xbf16>) {
    tile.yield %t : tensor<?x?xbf16>
  }
}

// -----

tile.program @epilogue_end(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op epilogue must end with 'tile.yield'}}
  tile.matmul %a, %b into %c : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32> epilogue (%row, %col, %t: tensor<?x?xf32>) {
  }
}

// -----

tile.program @epilogue_result(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xbf16>) {
  tile.matmul %a, %b into %c : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xbf16> epilogue (%row, %col, %t: tensor<?x?xf32>) {
    // expected-error @below {{'tile.yield' op yields 'tensor<?x?xf32>', expected elements of type 'bf16'}}
    tile.yield %t : tensor<?x?xf32>
  }
}

// -----

tile.program @epilogue_rank(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op epilogue yields 'tensor<4xf32>', expected rank 2}}
  tile.matmul %a, %b into %c : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32> epilogue (%row, %col, %t: tensor<?x?xf32>) {
    %s = tile.splat 0.0 [4] : tensor<4xf32>
    tile.yield %s : tensor<4xf32>
  }
}

// -----

tile.program @epilogue_shape(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op epilogue has a tile of type 'tensor<4x4xf32>', expected 2 in dimension 1 as in 'tiles'}}
  tile.matmul %a, %b into %c tiles [4, 2, 4] : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32> epilogue (%row, %col, %t: tensor<4x4xf32>) {
    tile.yield %t : tensor<4x4xf32>
  }
}

// -----

tile.program @chosen_shape(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op epilogue has a tile of type 'tensor<4x4xf32>', expected '?' in dimension 0, whose size is chosen}}
  tile.matmul %a, %b into %c : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32> epilogue (%row, %col, %t: tensor<4x4xf32>) {
    tile.yield %t : tensor<4x4xf32>
  }
}

// -----

tile.program @integers_into_floats(%a: memref<8x64xi8>, %b: memref<32x64xi8>, %c: memref<8x32xf32>) {
  // expected-error @below {{'tile.matmul' op expected a destination of integers or an epilogue that converts, got 'memref<8x32xf32>'}}
  tile.matmul %a, transpose %b into %c : memref<8x64xi8>, memref<32x64xi8>, memref<8x32xf32>
}

// -----

tile.program @accumulation_of_wide_floats(%a: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op expected operands of eight-bit floats with 'accumulate', got 'f32'}}
  tile.matmul %a, %a into %c accumulate fast : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
}

// -----

tile.program @accumulation_of_no_kind(%a: memref<4x4xf8E4M3FN>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected exact, promoted or fast, got 'fats'; did you mean 'fast'?}}
  tile.matmul %a, %a into %c accumulate fats : memref<4x4xf8E4M3FN>, memref<4x4xf8E4M3FN>, memref<4x4xf32>
}

// -----

tile.program @split_into_one(%a: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op splits the depth into 1 parts, expected at least 2}}
  tile.matmul %a, %a into %c split 1 : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
}

// -----

tile.program @rhs_rank_of_several(%a: memref<2x3x4x4xf32>, %b: memref<3x4x4xf32>, %c: memref<2x3x4x4xf32>) {
  // expected-error @below {{'tile.matmul' op expected a right-hand side of two dimensions, for all products, or of as many as the left one, got 'memref<3x4x4xf32>'}}
  tile.matmul %a, %b into %c : memref<2x3x4x4xf32>, memref<3x4x4xf32>, memref<2x3x4x4xf32>
}

// -----

tile.program @numbers_of_products(%a: memref<2x4x4xf32>, %b: memref<3x4x4xf32>, %c: memref<2x4x4xf32>) {
  // expected-error @below {{'tile.matmul' op product with 'memref<3x4x4xf32>' does not fit 'memref<2x4x4xf32>'}}
  tile.matmul %a, %b into %c : memref<2x4x4xf32>, memref<3x4x4xf32>, memref<2x4x4xf32>
}

// -----

// expected-note @below {{the buffer is declared here}}
// expected-note @below {{its size must agree with this buffer's}}
tile.program @extents_of_products<%B, %C>(%a: memref<?x4x4xf32>, %b: memref<4x4xf32>, %c: memref<?x4x4xf32>) extents [%a: %B, 4, 4] [%c: %B + 1, 4, 4] {
  // expected-error @below {{'tile.matmul' op dimension 0 has size %B + 1, expected %B}}
  tile.matmul %a, %b into %c : memref<?x4x4xf32>, memref<4x4xf32>, memref<?x4x4xf32>
}

// -----

tile.program @epilogue_of_several(%a: memref<2x4x4xf32>, %b: memref<4x4xf32>, %c: memref<2x4x4xf32>) {
  // expected-error @below {{'tile.matmul' op epilogue has 3 arguments, expected the number of a matrix in each leading dimension, a row, a column and 1 tiles}}
  "tile.matmul"(%a, %b, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, transposed = array<i1: false>}> ({
  ^bb0(%row: index, %col: index, %t: tensor<?x?xf32>):
    tile.yield %t : tensor<?x?xf32>
  }) : (memref<2x4x4xf32>, memref<4x4xf32>, memref<2x4x4xf32>) -> ()
}

// -----

tile.program @split_of_several(%a: memref<2x4x4xf32>, %b: memref<4x4xf32>, %c: memref<2x4x4xf32>) {
  // expected-error @below {{'tile.matmul' op splits the depth of products of 'memref<2x4x4xf32>', expected operands of two dimensions}}
  tile.matmul %a, %b into %c split 2 : memref<2x4x4xf32>, memref<4x4xf32>, memref<2x4x4xf32>
}

// -----

tile.program @rows_of_floats(%n: memref<1xf32>, %a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op takes numbers of rows from 'memref<1xf32>', expected a buffer of i32}}
  tile.matmul %a, %b into %c rows %n : memref<1xf32> : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
}

// -----

tile.program @rows_of_others(%n: memref<2xi32>, %a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op takes numbers of rows from 'memref<2xi32>', expected one element for 'memref<4x4xf32>'}}
  tile.matmul %a, %b into %c rows %n : memref<2xi32> : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
}

// -----

tile.program @rows_of_fewer(%n: memref<1xi32>, %a: memref<2x3x4x4xf32>, %b: memref<4x4xf32>, %c: memref<2x3x4x4xf32>) {
  // expected-error @below {{'tile.matmul' op takes numbers of rows from 'memref<1xi32>', expected the leading dimensions of 'memref<2x3x4x4xf32>'}}
  tile.matmul %a, %b into %c rows %n : memref<1xi32> : memref<2x3x4x4xf32>, memref<4x4xf32>, memref<2x3x4x4xf32>
}

// -----

tile.program @rows_written(%a: memref<1x4x4xi32>, %b: memref<4x4xi32>, %c: memref<1x4x4xi32>) {
  // expected-error @below {{'tile.matmul' op takes numbers of rows from 'memref<1x4x4xi32>', expected the leading dimensions of 'memref<1x4x4xi32>'}}
  tile.matmul %a, %b into %c rows %c : memref<1x4x4xi32> : memref<1x4x4xi32>, memref<4x4xi32>, memref<1x4x4xi32>
}

// -----

tile.program @rows_of_a_split(%n: memref<1xi32>, %a: memref<4x64xf32>, %b: memref<64x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op splits the depth of a product of so many rows as data says, expected 'rows' or 'split'}}
  tile.matmul %a, %b into %c rows %n : memref<1xi32> split 2 : memref<4x64xf32>, memref<64x4xf32>, memref<4x4xf32>
}

// -----

// expected-note @below {{its size must agree with this buffer's: name one extent, or state 'where %E == %N'}}
// expected-note @below {{the buffer is declared here}}
tile.program @rows_of_other_products<%E, %N>(%n: memref<?xi32>, %a: memref<?x4x4xf32>, %b: memref<4x4xf32>, %c: memref<?x4x4xf32>)
    extents [%n: %N] [%a: %E, 4, 4] [%c: %E, 4, 4] {
  // expected-error @below {{'tile.matmul' op dimension 0 has size %E, expected %N}}
  tile.matmul %a, %b into %c rows %n : memref<?xi32> : memref<?x4x4xf32>, memref<4x4xf32>, memref<?x4x4xf32>
}

// -----

tile.program @rows_behind_tiles(%n: memref<1xi32>, %a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected 'rows' right behind the destination, as in 'into %c rows %counts : memref<?xi32> tiles [..]'}}
  tile.matmul %a, %b into %c tiles [16, 16, 16] rows %n : memref<1xi32> : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
}

// -----

tile.program @split_behind_nothing(%a: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op splits the tiles behind 0, expected at least 1}}
  tile.matmul %a, %a into %c split 2 behind 0 : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
}

// -----

tile.program @behind_without_a_split(%a: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op has tiles that others are behind, expected a 'split' of these}}
  "tile.matmul"(%a, %a, %c) <{transposed = array<i1: false>, behind = 2 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  }) : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
}

// -----

tile.program @rows_of_a_transposed_side(%a: memref<4x4xf32>, %n: memref<1xi32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.matmul' op takes numbers of rows for a left-hand side that is transposed, expected one that is stored M x K}}
  tile.matmul transpose %a, %a into %c rows %n : memref<1xi32> : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
}

// -----

tile.program @depth_of_a_transposed_side(%a: memref<8x4xf32>, %b: memref<4x16xf32>, %c: memref<8x16xf32>) {
  // expected-error @below {{'tile.matmul' op contracts 8 rows of 'memref<8x4xf32>' with 4 of 'memref<4x16xf32>'}}
  tile.matmul transpose %a, %b into %c : memref<8x4xf32>, memref<4x16xf32>, memref<8x16xf32>
}

// -----

tile.program @rows_of_a_transposed_result(%a: memref<8x4xf32>, %b: memref<8x16xf32>, %c: memref<8x16xf32>) {
  // expected-error @below {{'tile.matmul' op product of 'memref<8x4xf32>' does not fit 'memref<8x16xf32>'}}
  tile.matmul transpose %a, %b into %c : memref<8x4xf32>, memref<8x16xf32>, memref<8x16xf32>
}

// -----

// expected-note @below {{the left-hand side is declared here}}
// expected-note @below {{the right-hand side is declared here}}
tile.program @left_side_to_be_transposed(%a: memref<?x4xf32>, %b: memref<?x16xf32>, %c: memref<4x16xf32>)
    extents [%a: 8, 4] [%b: 8, 16] {
  // expected-error @below {{'tile.matmul' op contracts 4 columns of the left-hand side with 8 rows of a right-hand side, expected 4: the left-hand side fits with 'transpose' before it}}
  tile.matmul %a, %b into %c : memref<?x4xf32>, memref<?x16xf32>, memref<4x16xf32>
}

// -----

// expected-note @below {{the left-hand side is declared here}}
// expected-note @below {{the right-hand side is declared here}}
tile.program @left_side_not_to_be_transposed(%a: memref<4x?xf32>, %b: memref<?x16xf32>, %c: memref<4x16xf32>)
    extents [%a: 4, 8] [%b: 8, 16] {
  // expected-error @below {{'tile.matmul' op contracts 4 rows of the left-hand side with 8 rows of a right-hand side, expected 4: the left-hand side fits without 'transpose'}}
  tile.matmul transpose %a, %b into %c : memref<4x?xf32>, memref<?x16xf32>, memref<4x16xf32>
}
