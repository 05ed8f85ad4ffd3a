// RUN: tilec-opt %s --split-input-file --verify-diagnostics

tile.program @without_each(%ids: memref<64xi32>, %a: memref<64x64xf32>) {
  tile.forall (%m) in [4] {
    %list = tile.load %ids[%m] tile [16] : memref<64xi32> -> tensor<16xi32>
    // expected-error @below {{custom op 'tile.gather' expected 'each' before the index that is a tile, as in '[each %ids, %n]'}}
    %t = tile.gather %a[%list, %m] tile [16, 16] : memref<64x64xf32>, tensor<16xi32> -> tensor<16x16xf32>
  }
}

// -----

tile.program @each_twice(%ids: memref<64xi32>, %a: memref<64x64xf32>) {
  tile.forall (%m) in [4] {
    %list = tile.load %ids[%m] tile [16] : memref<64xi32> -> tensor<16xi32>
    // expected-error @below {{custom op 'tile.gather' names the elements of a second dimension, expected 'each' once}}
    %t = tile.gather %a[each %list, each %list] tile [16, 16] : memref<64x64xf32>, tensor<16xi32> -> tensor<16x16xf32>
  }
}

// -----

tile.program @floats(%ids: memref<64xf32>, %a: memref<64x64xf32>) {
  tile.forall (%m) in [4] {
    // expected-note @below {{the indices are made here}}
    %list = tile.load %ids[%m] tile [16] : memref<64xf32> -> tensor<16xf32>
    // expected-error @below {{'tile.gather' op expected a tile of i32 with one dimension behind 'each', got 'tensor<16xf32>'}}
    %t = tile.gather %a[each %list, %m] tile [16, 16] : memref<64x64xf32>, tensor<16xf32> -> tensor<16x16xf32>
  }
}

// -----

tile.program @matrix_of_indices(%ids: memref<64x64xi32>, %a: memref<64x64xf32>) {
  tile.forall (%m) in [4] {
    // expected-note @below {{the indices are made here}}
    %list = tile.load %ids[%m, %m] tile [16, 16] : memref<64x64xi32> -> tensor<16x16xi32>
    // expected-error @below {{'tile.gather' op expected a tile of i32 with one dimension behind 'each', got 'tensor<16x16xi32>'}}
    %t = tile.gather %a[each %list, %m] tile [16, 16] : memref<64x64xf32>, tensor<16x16xi32> -> tensor<16x16xf32>
  }
}

// -----

tile.program @one_index(%a: memref<64x64xf32>) {
  // expected-note @below {{the indices are made here}}
  tile.forall (%m) in [4] {
    // expected-error @below {{'tile.gather' op expected a tile of i32 with one dimension behind 'each', got 'index'}}
    %t = tile.gather %a[each %m, %m] tile [16, 16] : memref<64x64xf32>, index -> tensor<16x16xf32>
  }
}

// -----

tile.program @too_few_indices(%ids: memref<64xi32>, %a: memref<64x64xf32>) {
  tile.forall (%m) in [4] {
    // expected-note @below {{the indices are made here}}
    %list = tile.load %ids[%m] tile [8] : memref<64xi32> -> tensor<8xi32>
    // expected-error @below {{'tile.gather' op has 8 indices for dimension 0, expected 16, the size of the tile there}}
    %t = tile.gather %a[each %list, %m] tile [16, 16] : memref<64x64xf32>, tensor<8xi32> -> tensor<16x16xf32>
  }
}

// -----

tile.program @dimension_without_a_tile(%ids: memref<64xi32>, %a: memref<64x64xf32>) {
  tile.forall (%m) in [4] {
    %list = tile.load %ids[%m] tile [16] : memref<64xi32> -> tensor<16xi32>
    // expected-error @below {{'tile.gather' op names the elements of dimension 0 of 'memref<64x64xf32>', which the tile lacks: expected a tile of rank 2 at least, got 'tensor<16xf32>'}}
    %t = tile.gather %a[each %list, %m] tile [16] : memref<64x64xf32>, tensor<16xi32> -> tensor<16xf32>
  }
}

// -----

tile.program @one_dimension_too_few(%ids: memref<64xi32>, %a: memref<64x64xf32>) {
  tile.forall (%m) in [4] {
    %list = tile.load %ids[%m] tile [16] : memref<64xi32> -> tensor<16xi32>
    // expected-error @below {{'tile.gather' op has 1 indices, expected 2 as in 'memref<64x64xf32>'}}
    %t = tile.gather %a[each %list] tile [16, 16] : memref<64x64xf32>, tensor<16xi32> -> tensor<16x16xf32>
  }
}

// -----

tile.program @no_such_dimension(%ids: memref<64xi32>, %a: memref<64x64xf32>) {
  tile.forall (%m) in [4] {
    %list = tile.load %ids[%m] tile [16] : memref<64xi32> -> tensor<16xi32>
    // expected-error @below {{'tile.gather' op names the elements of dimension 5 of 'memref<64x64xf32>', which has no such dimension}}
    %t = "tile.gather"(%a, %list, %m) <{each = 5, tile = [16, 16], operandSegmentSizes = array<i32: 1, 2, 0, 0, 0>}> : (memref<64x64xf32>, tensor<16xi32>, index) -> tensor<16x16xf32>
  }
}

// -----

tile.program @tile_as_an_index(%ids: memref<64xi32>, %a: memref<64x64xf32>) {
  tile.forall (%m) in [4] {
    %list = tile.load %ids[%m] tile [16] : memref<64xi32> -> tensor<16xi32>
    // expected-error @below {{'tile.gather' op index 1 has type 'tensor<16xi32>', expected 'each' before it or an index}}
    %t = "tile.gather"(%a, %list, %list) <{each = 0, tile = [16, 16], operandSegmentSizes = array<i32: 1, 2, 0, 0, 0>}> : (memref<64x64xf32>, tensor<16xi32>, tensor<16xi32>) -> tensor<16x16xf32>
  }
}

// -----

// expected-note @below {{the buffer is declared here; convert the tile behind the load, with 'arith.truncf' to bf16}}
tile.program @gathered_element(%ids: memref<64xi32>, %a: memref<64x64xf32>) {
  tile.forall (%m) in [4] {
    %list = tile.load %ids[%m] tile [16] : memref<64xi32> -> tensor<16xi32>
    // expected-error @below {{'tile.gather' op expected a tile of 'f32', the element type of the buffer, got 'bf16'}}
    %t = tile.gather %a[each %list, %m] tile [16, 16] : memref<64x64xf32>, tensor<16xi32> -> tensor<16x16xbf16>
  }
}

// -----

tile.program @scattered_with_floats(%ids: memref<64xf32>, %a: memref<64x64xf32>) {
  tile.forall (%m) in [4] {
    // expected-note @below {{the indices are made here}}
    %list = tile.load %ids[%m] tile [16] : memref<64xf32> -> tensor<16xf32>
    %t = tile.splat 1.0 [16, 16] : tensor<16x16xf32>
    // expected-error @below {{'tile.scatter' op expected a tile of i32 with one dimension behind 'each', got 'tensor<16xf32>'}}
    tile.scatter %t, %a[each %list, %m] : tensor<16x16xf32>, memref<64x64xf32>, tensor<16xf32>
  }
}

// -----

tile.program @number_of_floats(%a: memref<64xf32>) {
  tile.forall (%m) in [4] {
    // expected-error @below {{'tile.read' op reads a number of 'memref<64xf32>', expected a buffer of i32}}
    %n = tile.read %a[%m] upto %m : memref<64xf32>
  }
}

// -----

// expected-error @below {{custom op 'tile.program' expected indices in an argument of this program, got '%idx'; did you mean '%ids'?}}
tile.program @unknown_argument<%N>(%ids: memref<?xi32>) extents [%ids: %N] indices [%idx: %N] {
}

// -----

// expected-error @below {{indices in an argument of type 'memref<64xf32>', expected one of i32}}
tile.program @floats_are_no_indices<%N>(%ids: memref<64xf32>) indices [%ids: %N] {
}

// -----

// expected-error @below {{custom op 'tile.program' number of indices may not depend on parameter @BM}}
tile.program @parameter<%N>(%ids: memref<64xi32>) indices [%ids: @BM] {
}

// -----

// expected-error @below {{has 1 counts of indices and 0 flags for 1 arguments}}
"tile.program"() <{num_extents = 1 : i64, shapes = [affine_map<()[s0, s1] -> (64)>], sym_name = "without_flags",
                   indices = [affine_map<()[s0, s1] -> (s1)>]}> ({
^bb0(%N: index, %ids: memref<64xi32>):
}) : () -> ()

// -----

// expected-error @below {{has affine_map<()[s0] -> (s0)> as a count of indices, expected one expression over W and 1 extents}}
"tile.program"() <{num_extents = 1 : i64, shapes = [affine_map<()[s0, s1] -> (64)>], sym_name = "other_symbols",
                   indices = [affine_map<()[s0] -> (s0)>], distinct = array<i1: false>}> ({
^bb0(%N: index, %ids: memref<64xi32>):
}) : () -> ()
