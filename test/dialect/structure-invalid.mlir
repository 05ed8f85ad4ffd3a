// RUN: tilec-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{custom op 'tile.program' expected extents of an argument of this program, got '%b'}}
tile.program @buffer_of_another_program<%M>(%a: memref<?xf32>) extents [%b: %M] {}

// -----

// expected-error @below {{custom op 'tile.program' extents of an argument may not depend on parameter @BM}}
tile.program @parameter_in_argument<%M>(%a: memref<?xf32>) extents [%a: @BM] {}

// -----

// expected-error @below {{custom op 'tile.program' unknown extent '%N'}}
tile.program @unknown_extent<%M>(%a: memref<?xf32>) extents [%a: %N] {}

// -----

// expected-error @below {{custom op 'tile.program' expected extents for each dimension of 'memref<?xf32>', the type of '%a', got 2}}
tile.program @rank_of_extents<%M>(%a: memref<?xf32>) extents [%a: %M, %M] {}

// -----

// expected-error @below {{custom op 'tile.program' argument must be a memref or a number of f32, f64, i32 or i64, got 'memref<*xf32>'}}
tile.program @unranked_argument(%a: memref<*xf32>) {}

// -----

// The generic form can hold what the syntax cannot.
"tile.program"() <{sym_name = "p", num_extents = 0 : i64, shapes = [affine_map<()[s0] -> (4)>]}> ({
// expected-error @below {{argument must be a memref or a number of f32, f64, i32 or i64, got 'tensor<4xf32>'}}
^bb0(%a: tensor<4xf32>):
}) : () -> ()

// -----

// expected-error @below {{buffer of 'i16', expected a type that memory holds}}
tile.program @element_type<%M>(%a: memref<?xi16>) extents [%a: %M] {}

// -----

// expected-error @below {{buffer of 'i1', expected a type that memory holds}}
tile.program @comparison_results_stay_in_registers(%a: memref<4xi1>) {}

// -----

// expected-error @below {{buffer 'memref<f32>' has no dimension, expected at least one}}
tile.program @buffer_without_a_dimension(%a: memref<f32>) {}

// -----

tile.program @alloc_without_a_dimension() {
  // expected-error @below {{'tile.alloc' op buffer 'memref<f32>' has no dimension, expected at least one}}
  %x = tile.alloc [] : memref<f32>
}

// -----

// expected-error @below {{memory space 3 : i64, expected none or #tile.symmetric}}
tile.program @memory_space(%a: memref<4xf32, 3>) {}

// -----

// expected-error @below {{layout of 'memref<4x4xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>' has no strides}}
tile.program @layout(%a: memref<4x4xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>) {}

// -----

// expected-error @below {{stride 0 in 'memref<4x4xf32, strided<[0, 1]>>', expected a positive one}}
tile.program @stride(%a: memref<4x4xf32, strided<[0, 1]>>) {}

// -----

// expected-error @below {{argument has type 'memref<4x4xf32, strided<[8, 1], offset: 4>>', expected no offset: a launch gives a pointer to the first element}}
tile.program @offset(%a: memref<4x4xf32, strided<[8, 1], offset: 4>>) {}

// -----

// expected-error @below {{stride of dimension 0 of 'memref<?x4xf32, strided<[?, 1]>>' is not known: name it, as in 'extents [%a: %M, 64 strides %lda, 1]'}}
tile.program @pitch_without_a_name<%M>(%a: memref<?x4xf32, strided<[?, 1]>>) extents [%a: %M, 4] {}

// -----

// expected-error @below {{expected stride 8 of dimension 0, as in 'memref<?x4xf32, strided<[8, 1]>>'}}
tile.program @pitch_of_two_values<%M, %lda>(%a: memref<?x4xf32, strided<[8, 1]>>) extents [%a: %M, 4 strides %lda, 1] {}

// -----

// expected-error @below {{stride -4 of dimension 0, expected a positive one}}
tile.program @negative_pitch<%M>(%a: memref<?x4xf32, strided<[?, 1]>>) extents [%a: %M, 4 strides -4, 1] {}

// -----

// expected-error @below {{custom op 'tile.program' expected strides for each dimension of 'memref<?x4xf32, strided<[?, 1]>>', the type of '%a', got 1}}
tile.program @rank_of_strides<%M>(%a: memref<?x4xf32, strided<[?, 1]>>) extents [%a: %M, 4 strides %M] {}

// -----

// expected-error @below {{custom op 'tile.program' strides of an argument may not depend on parameter @BM}}
tile.program @parameter_in_pitch<%M>(%a: memref<?x4xf32, strided<[?, 1]>>) extents [%a: %M, 4 strides @BM, 1] {}

// -----

// expected-error @below {{strides of an argument of type 'memref<?x4xf32>', which is contiguous: expected a strided layout}}
tile.program @pitch_without_a_layout<%M>(%a: memref<?x4xf32>) extents [%a: %M, 4 strides 8, 1] {}

// -----

// expected-error @below {{custom op 'tile.program' unknown extent '%N'}}
tile.program @condition_on_an_unknown_extent<%M>(%a: memref<?xf32>) extents [%a: %M] where %M == %N {}

// -----

// expected-error @below {{custom op 'tile.program' condition may not depend on parameter @BM}}
tile.program @condition_on_a_parameter<%M>(%a: memref<?xf32>) extents [%a: %M] where %M mod @BM == 0 {}

// -----

// expected-error @below {{custom op 'tile.program' expected '==' or '<=' in a condition}}
tile.program @condition_without_a_relation<%M>(%a: memref<?xf32>) extents [%a: %M] where %M >= 4 {}

// -----

// expected-error @below {{'tile.program' op has the condition '0 == 1', which no launch can keep}}
tile.program @condition_that_never_holds<%M>(%a: memref<?xf32>) extents [%a: %M] where %M + 1 == %M {}

// -----

// expected-error @below {{custom op 'tile.program' has the condition '1 == 2', which no launch can keep}}
tile.program @condition_of_numbers<%M>(%a: memref<?xf32>) extents [%a: %M] where 1 == 2 {}

// -----

// expected-error @below {{custom op 'tile.program' computes with numbers that do not fit 64 bits}}
tile.program @condition_beyond_64_bits<%M>(%a: memref<?xf32>) extents [%a: %M] where %M <= 9223372036854775807 + 1 {}

// -----

// expected-error @below {{custom op 'tile.program' computes with numbers that do not fit 64 bits}}
tile.program @shape_beyond_64_bits<%M>(%a: memref<?xf32>) extents [%a: %M * 4294967296 * 4294967296] {}

// -----

tile.program @shape_twice<%M>(%a: memref<?xf32>)
    // expected-note @below {{the first are here}}
    extents [%a: %M]
    // expected-error @below {{custom op 'tile.program' gives extents of '%a' for the second time, expected them once}}
            [%a: %M + 7] {}

// -----

tile.program @indices_twice<%M>(%a: memref<?xi32>) extents [%a: %M]
    // expected-note @below {{the first are here}}
    indices [%a: %M]
    // expected-error @below {{custom op 'tile.program' gives indices of '%a' for the second time, expected them once}}
            [%a: 7] {}

// -----

// expected-error @below {{'tile.program' op has conditions over 1 symbols, expected W and 1 extents}}
"tile.program"() <{sym_name = "p", num_extents = 1 : i64, shapes = [], conditions = affine_set<()[s0] : (s0 mod 4 == 0)>}> ({
^bb0(%M: index):
}) : () -> ()

// -----

// Two rows are as many as one needs to know.
// expected-error @below {{elements of 'memref<?x64xf32, strided<[32, 1]>>' share memory: dimension 0 has stride 32, the dimensions inside it reach over 64}}
tile.program @rows_overlap<%M>(%a: memref<?x64xf32, strided<[32, 1]>>) extents [%a: %M, 64] {}

// -----

// expected-error @below {{dimension 0 has stride 1, the dimensions inside it reach over 2}}
tile.program @equal_strides<%M, %N>(%a: memref<?x?xf32, strided<[1, 1]>>) extents [%a: %M, %N] {}

// -----

// What steps nowhere, and what has no elements, overlaps with nothing.
tile.program @single_row(%a: memref<1x64xf32, strided<[32, 1]>>, %b: memref<0x64xf32, strided<[32, 1]>>, %c: memref<4x64xf32, strided<[1, 4]>>) {}

// -----

// expected-error @below {{'tile.program' op has 0 lists of strides for 1 arguments}}
"tile.program"() <{sym_name = "p", num_extents = 0 : i64, shapes = [affine_map<()[s0] -> (4)>], strides = []}> ({
^bb0(%a: memref<4xf32>):
}) : () -> ()

// -----

"tile.program"() <{sym_name = "p", num_extents = 0 : i64, shapes = [affine_map<()[s0] -> (4)>]}> ({
// expected-error @below {{argument of type 'memref<4xf32, strided<[2]>>' has no list of strides, one for each dimension over W and 0 extents}}
^bb0(%a: memref<4xf32, strided<[2]>>):
}) : () -> ()

// -----

"tile.program"() <{sym_name = "p", num_extents = 0 : i64, shapes = [affine_map<()[s0, s1] -> (4)>]}> ({
// expected-error @below {{shape affine_map<()[s0, s1] -> (4)> does not describe 'memref<4xf32>' over W and 0 extents}}
^bb0(%a: memref<4xf32>):
}) : () -> ()

// -----

// expected-error @below {{dimension 0 of 'memref<?xf32>' has no extent, expected one in a clause behind the arguments}}
// expected-note @below {{the clause is 'extents [%a: <size>]', each <size> an expression over W and the extents %M}}
tile.program @no_extent<%M>(%a: memref<?xf32>) {}

// -----

// expected-error @below {{dimension 1 of 'memref<4x?xf32>' has no extent, expected one in a clause behind the arguments}}
// expected-note @below {{the clause is 'extents [%a: 4, <size>] [%b: <size>]', each <size> an expression over W and the extents, which are declared before the arguments: 'tile.program @no_extents<%M, %N>(..)'}}
tile.program @no_extents(%a: memref<4x?xf32>, %b: memref<?xf32>, %c: memref<4xf32>) {}

// -----

// expected-error @below {{extent -4 of dimension 0, expected 0 or more}}
tile.program @negative_extent<%M>(%a: memref<?xf32>) extents [%a: 4 - 8] {}

// -----

// expected-error @below {{expected extent 4 of dimension 0, as in 'memref<4xf32>'}}
tile.program @contradiction<%M>(%a: memref<4xf32>) extents [%a: %M] {}

// -----

// expected-error @below {{'tile.program' op has 1 arguments, of which 2 are extents}}
"tile.program"() <{sym_name = "p", num_extents = 2 : i64, shapes = []}> ({
^bb0(%m: index):
}) : () -> ()

// -----

// expected-error @below {{'tile.program' op extent has type 'i32', expected index}}
"tile.program"() <{sym_name = "p", num_extents = 1 : i64, shapes = []}> ({
^bb0(%m: i32):
}) : () -> ()

// -----

// expected-error @below {{world of 0 ranks, expected at least 1}}
tile.program @world() world 0 {}

// -----

// expected-error @below {{world of 1025 ranks, expected at most 1024}}
tile.program @world() world 1025 {}

// -----

// expected-error @below {{'tile.program' op has 0 shapes for 1 arguments}}
"tile.program"() <{sym_name = "p", num_extents = 0 : i64, shapes = []}> ({
^bb0(%a: memref<4xf32>):
}) : () -> ()

// -----

// expected-error @below {{'tile.program' op attribute 'shapes' failed to satisfy constraint: AffineMap array attribute}}
"tile.program"() <{sym_name = "p", num_extents = 0 : i64, shapes = [1]}> ({
^bb0(%a: memref<4xf32>):
}) : () -> ()

// -----

tile.program @outer() {
  // expected-error @below {{'tile.program' op expects parent op 'builtin.module'}}
  tile.program @inner() {}
}

// -----

// expected-error @below {{'tile.rank' op failed to verify that it stands in a 'tile.program'}}
%rank = tile.rank

// -----

tile.program @no_choices() {
  // expected-error @below {{'tile.param' op expected at least one choice, got none}}
  tile.param @BM in []
}

// -----

tile.program @choice() {
  // expected-error @below {{'tile.param' op choice 0, expected a positive value}}
  tile.param @BM in [64, 0]
}

// -----

tile.program @expressions<%M>() {
  // expected-error @below {{'tile.extent' op has 2 expressions, expected 1}}
  %rows = tile.extent [%M, 4]
}

// -----

tile.program @sizes<%M>() {
  // expected-error @below {{'tile.alloc' op has 2 sizes, expected 1 as in 'memref<?xf32>'}}
  %x = tile.alloc [%M, 4] : memref<?xf32>
}

// -----

tile.program @contiguous() {
  // expected-error @below {{'tile.alloc' op expected a contiguous type, got 'memref<4x4xf32, strided<[8, 1]>>'}}
  %x = tile.alloc [4, 4] : memref<4x4xf32, strided<[8, 1]>>
}

// -----

tile.program @copies() {
  // expected-error @below {{'tile.alloc' op has -1 copies, expected 1 to 64}}
  %x = tile.alloc [4] {copies = -1} : memref<4xf32>
}

// -----

tile.program @more_copies_than_launches() {
  // expected-error @below {{'tile.alloc' op has 20000 copies, expected 1 to 64}}
  %x = tile.alloc [4] {copies = 20000} : memref<4xf32>
}

// -----

tile.program @size_contradicts_type() {
  // expected-error @below {{'tile.alloc' op expected size 4 of dimension 0, as in 'memref<4xf32>'}}
  %x = tile.alloc [8] : memref<4xf32>
}

// -----

tile.program @negative_size() {
  // expected-error @below {{'tile.alloc' op size of dimension 0 is -1, expected 0 or more}}
  %x = tile.alloc [1 - 2] : memref<?xf32>
}

// -----

tile.program @alloc_in_lds() {
  // expected-error @below {{'tile.alloc' op memory space #tile.shared<1, 1, 1>, expected none or #tile.symmetric}}
  %x = tile.alloc [4] : memref<4xf32, #tile.shared<1, 1, 1>>
}

// -----

tile.program @order_dimension() {
  // expected-error @below {{'tile.forall' op expected an order that rotates a dimension below 1, the rank of the grid, got 1}}
  tile.forall (%m) in [4] order [#tile.rank_first<1>] {}
}

// -----

tile.program @order_of_a_line() {
  // expected-error @below {{'tile.forall' op order groups rows of a grid of rank 1, expected at least 2}}
  tile.forall (%m) in [4] order [#tile.grouped<4>] {}
}

// -----

tile.program @diagonals_of_a_line() {
  // expected-error @below {{'tile.forall' op order walks diagonals of a grid of rank 1, expected at least 2}}
  tile.forall (%m) in [4] order [#tile.diagonal] {}
}

// -----

tile.program @permuted_grid() {
  // expected-error @below {{'tile.forall' op order permutes 3 dimensions, expected 2, the rank of the grid}}
  tile.forall (%i, %j) in [4, 4] order [#tile.permuted<2, 1, 0>] {
  }
}

// -----

tile.program @permuted_and_grouped() {
  // expected-error @below {{'tile.forall' op order makes tiles of numbers by #tile.permuted<1, 0> and by #tile.grouped<2>, expected one of these}}
  tile.forall (%i, %j) in [4, 4] order [#tile.permuted<1, 0>, #tile.grouped<2>] {
  }
}

// -----

tile.program @grouped_and_diagonal() {
  // expected-error @below {{'tile.forall' op order makes tiles of numbers by #tile.grouped<2> and by #tile.diagonal, expected one of these}}
  tile.forall (%i, %j) in [4, 4] order [#tile.remap<8>, #tile.grouped<2>, #tile.diagonal] {
  }
}

// -----

// The text would have dealt numbers out first, the checker last.
tile.program @dealt_too_late() {
  // expected-error @below {{'tile.forall' op order has #tile.remap<8> behind #tile.grouped<2>, expected what deals tasks out, then what makes tiles of their numbers, then what rotates an index}}
  tile.forall (%i, %j) in [4, 4] order [#tile.grouped<2>, #tile.remap<8>] {
  }
}

// -----

// expected-error @below {{has 2 dimensions, expected each of 0 to 1 once}}
#twice = #tile.permuted<1, 1>

// -----

tile.program @order_step() {
  // expected-error @below {{'tile.forall' op attribute 'order' failed to satisfy constraint: steps of an order}}
  tile.forall (%m) in [4] order [1] {}
}

// -----

tile.program @nested() {
  tile.forall (%m) in [4] {
    // expected-error @below {{'tile.forall' op must be a statement of a 'tile.program', alone or in one 'scf.for', or stand in a 'tile.role'}}
    tile.forall (%n) in [4] {}
  }
}

// -----

tile.program @no_bounds() {
  // expected-error @below {{'tile.forall' op expected either bounds or a buffer with tiles, got something else}}
  "tile.forall"() <{params = [], operandSegmentSizes = array<i32: 0, 0>}> ({
  ^bb0:
  }) : () -> ()
}

// -----

tile.program @index_type() {
  // expected-error @below {{'tile.forall' op index has type 'i32', expected index}}
  "tile.forall"() <{params = [], bounds = affine_map<()[s0] -> (4)>, operandSegmentSizes = array<i32: 0, 0>}> ({
  ^bb0(%m: i32):
  }) : () -> ()
}

// -----

tile.program @bounds() {
  // expected-error @below {{'tile.forall' op has 2 indices, expected 1 as there are bounds}}
  tile.forall (%m, %n) in [4] {}
}

// -----

tile.program @grid_of_a_buffer(%a: memref<4x4xf32>) {
  // expected-error @below {{'tile.forall' op has 1 indices, expected 2 as in 'memref<4x4xf32>'}}
  tile.forall (%m) over %a tiles [2, 2] : memref<4x4xf32> {}
}

// -----

tile.program @tiles_of_a_buffer(%a: memref<4x4xf32>) {
  // expected-error @below {{'tile.forall' op has tiles of rank 1, expected 2 as in 'memref<4x4xf32>'}}
  tile.forall (%m, %n) over %a tiles [2] : memref<4x4xf32> {}
}

// -----

tile.program @default() {
  // expected-error @below {{'tile.param' op expected one of the choices as default, got 32}}
  "tile.param"() <{sym_name = "BM", choices = array<i64: 64>, preferred = 32 : i64}> : () -> ()
}

// -----

tile.program @steps_of_nothing() {
  // expected-error @below {{'tile.forall' op has 'steps' and no index, expected the first one to number them}}
  tile.forall () in [] steps {}
}
