// RUN: tilec-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

%v, %i, %m = "any.values"() : () -> (!hip.view<bf16, 2>, index, !hip.tensor_map<<bf16, [64, 32], <8, 1, 4>>>)
// expected-error @below {{'hip.mapped_feed' op fills '!hip.shared<bf16, [64, 32], <8, 1, 4>>', expected rows of 128 bytes, whose pieces of 16 are swizzled by 8 rows}}
%f = hip.mapped_feed %v, %i, %i, %m {operandSegmentSizes = array<i32: 1, 2, 1, 0>} : (!hip.view<bf16, 2>, index, index, !hip.tensor_map<<bf16, [64, 32], <8, 1, 4>>>) -> !hip.direct_feed<<bf16, [64, 32], <8, 1, 4>>>

// -----

%v, %i, %m = "any.values"() : () -> (!hip.view<f32, 2>, index, !hip.tensor_map<<bf16, [64, 64], <8, 1, 8>>>)
// expected-error @below {{'hip.mapped_feed' op fills '!hip.shared<bf16, [64, 64], <8, 1, 8>>' from 2 dimensions of 'f32', expected two to four dimensions and one element type}}
%f = hip.mapped_feed %v, %i, %i, %m {operandSegmentSizes = array<i32: 1, 2, 1, 0>} : (!hip.view<f32, 2>, index, index, !hip.tensor_map<<bf16, [64, 64], <8, 1, 8>>>) -> !hip.direct_feed<<bf16, [64, 64], <8, 1, 8>>>

// -----

%v, %i, %m = "any.values"() : () -> (!hip.view<bf16, 2>, index, !hip.tensor_map<<bf16, [64, 64], <8, 1, 8>>>)
// expected-error @below {{'hip.mapped_feed' op begins at 1 coordinates, expected 2}}
%f = hip.mapped_feed %v, %i, %m {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!hip.view<bf16, 2>, index, !hip.tensor_map<<bf16, [64, 64], <8, 1, 8>>>) -> !hip.direct_feed<<bf16, [64, 64], <8, 1, 8>>>

// -----

%v, %i, %m = "any.values"() : () -> (!hip.view<bf16, 2>, index, !hip.tensor_map<<bf16, [64, 64], <8, 1, 8>>>)
// expected-error @below {{'hip.mapped_feed' op feeds '!hip.shared<bf16, [32, 64], <8, 1, 8>>' by '!hip.tensor_map<<bf16, [64, 64], <8, 1, 8>>>', expected one LDS tile}}
%f = hip.mapped_feed %v, %i, %i, %m {operandSegmentSizes = array<i32: 1, 2, 1, 0>} : (!hip.view<bf16, 2>, index, index, !hip.tensor_map<<bf16, [64, 64], <8, 1, 8>>>) -> !hip.direct_feed<<bf16, [32, 64], <8, 1, 8>>>

// -----

tile.program @p(%a: memref<8x64xbf16>) extents [%a: 8, 64] {
  hip.launcher @p_launch attributes {num_extents = 0 : i64, num_pointers = 1 : i64, peers = [#tile<peer_use none>], scopes = []} {
  ^bb0(%c: !hip.context, %p: !hip.pointer<bf16, false>, %i: index):
    // expected-error @below {{'hip.tensor_map' op has 2 extents and 1 strides, expected as many}}
    %m = hip.tensor_map %p, %i, %i, %i {operandSegmentSizes = array<i32: 1, 2, 1>} : (!hip.pointer<bf16, false>, index, index, index) -> !hip.tensor_map<<bf16, [64, 64], <8, 1, 8>>>
  }
}

// -----

%v, %i, %m = "any.values"() : () -> (!hip.view<bf16, 3>, index, !hip.tensor_map<<bf16, [64, 128], <8, 1, 8 panel 64>>>)
// expected-error @below {{'hip.mapped_feed' op begins at 2 coordinates, expected 3}}
%f = hip.mapped_feed %v, %i, %i, %m {operandSegmentSizes = array<i32: 1, 2, 1, 0>} : (!hip.view<bf16, 3>, index, index, !hip.tensor_map<<bf16, [64, 128], <8, 1, 8 panel 64>>>) -> !hip.direct_feed<<bf16, [64, 128], <8, 1, 8 panel 64>>>

// -----

// expected-error @below {{panels of 64 columns of an LDS tile of shape [64, 32], expected a matrix of a whole number of them}}
%s = "any.values"() : () -> (!hip.shared<bf16, [64, 32], #tile.shared<8, 1, 8 panel 64>>)

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
%acc, %a, %b = "any.values"() : () -> (!hip.held<tensor<64x64xf32, #sums>, 1>, tensor<64x64xbf16, #sums>, !hip.slot<<bf16, [32, 64], <8, 1, 8>>>)
// expected-error @below {{'hip.multiply_async' op multiplies 'tensor<64x64xbf16}}
hip.multiply_async %acc, %a, %b {instruction = "Wgmma64x64x16"} : (!hip.held<tensor<64x64xf32, #sums>, 1>, tensor<64x64xbf16, #sums>, !hip.slot<<bf16, [32, 64], <8, 1, 8>>>) -> ()

// -----

// expected-error @below {{'hip.full' op has 2 slots, expected as many as '!hip.full<4>' has, at least 1}}
%f = hip.full {offset = 64 : i64, slots = 2 : i64} : () -> !hip.full<4>

// -----

// expected-error @below {{'hip.await_products' op leaves 9 products, expected 0 to 7, which a wave can count}}
hip.await_products {left = 9 : i64} : () -> ()

// -----

// expected-error @below {{'hip.empty' op has 2 slots, expected as many as '!hip.empty<4>' has, at least 1}}
%e = hip.empty {offset = 64 : i64, slots = 2 : i64, waves = 8 : i64} : () -> !hip.empty<4>

// -----

// expected-error @below {{'hip.empty' op is released by 0 waves, expected at least 1}}
%e = hip.empty {offset = 64 : i64, slots = 2 : i64, waves = 0 : i64} : () -> !hip.empty<2>

// -----

%n = "any.values"() : () -> (index)
// expected-error @below {{'hip.produce' op goes through 0 slots, expected at least 1}}
hip.produce %n slots 0 {
^bb0(%slot: index, %step: index):
}

// -----

%n = "any.values"() : () -> (index)
// expected-error @below {{'hip.consume' op has a body with 'index', expected two indices: a slot and a step}}
hip.consume %n slots 4 {
^bb0(%slot: index):
}

// -----

%n, %full = "any.values"() : () -> (index, !hip.full<4>)
hip.consume %n slots 4 attributes {in_turn} {
^bb0(%slot: index, %step: index):
  // expected-error @below {{'hip.await_full' op takes a slot that is a value, expected 'in_turn' as 'hip.consume' has}}
  hip.await_full %full, %slot : (!hip.full<4>, index) -> ()
}

// -----

%n, %empty = "any.values"() : () -> (index, !hip.empty<4>)
hip.produce %n slots 4 {
^bb0(%slot: index, %step: index):
  // expected-error @below {{'hip.await_empty' op takes a slot known when compiling, expected no 'in_turn' as 'hip.produce' has none}}
  hip.await_empty %empty, %slot {in_turn} : (!hip.empty<4>, index) -> ()
}

// -----

// expected-error @below {{'hip.full' op has 33 slots, expected at most 32, the bits of a register}}
%f = hip.full {offset = 64 : i64, slots = 33 : i64} : () -> !hip.full<33>

// -----

%v, %i, %m = "any.values"() : () -> (!hip.view<bf16, 2>, index, !hip.tensor_map<<bf16, [64, 64], <8, 1, 8>>>)
%f = hip.mapped_feed %v, %i, %i, %m {operandSegmentSizes = array<i32: 1, 2, 1, 0>} : (!hip.view<bf16, 2>, index, index, !hip.tensor_map<<bf16, [64, 64], <8, 1, 8>>>) -> !hip.direct_feed<<bf16, [64, 64], <8, 1, 8>>>
// expected-note @below {{the ring is declared here}}
%r = hip.ring {offset = 128 : i64, slots = 2 : i64} : () -> !hip.ring<<bf16, [64, 64], <8, 1, 8>>, 2>
%s = hip.slot %r, %i : (!hip.ring<<bf16, [64, 64], <8, 1, 8>>, 2>, index) -> !hip.slot<<bf16, [64, 64], <8, 1, 8>>>
// expected-error @below {{'hip.copying' op works on slots of 8192 bytes from byte 128 of LDS on, expected multiples of 1024, where the swizzle begins}}
%x = hip.copying %s, %f, %i : (!hip.slot<<bf16, [64, 64], <8, 1, 8>>>, !hip.direct_feed<<bf16, [64, 64], <8, 1, 8>>>, index) -> !hip.activity

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
%acc, %i = "any.values"() : () -> (!hip.held<tensor<64x64xf32, #sums>, 1>, index)
// expected-note @below {{the ring is declared here}}
%r = hip.ring {offset = 1536 : i64, slots = 1 : i64} : () -> !hip.ring<<bf16, [64, 64], <8, 1, 8>>, 1>
%s = hip.slot %r, %i : (!hip.ring<<bf16, [64, 64], <8, 1, 8>>, 1>, index) -> !hip.slot<<bf16, [64, 64], <8, 1, 8>>>
// expected-error @below {{'hip.multiply_async' op works on slots of 8192 bytes from byte 1536 of LDS on, expected multiples of 1024, where the swizzle begins}}
hip.multiply_async %acc, %s, %s {instruction = "Wgmma64x64x16", transposed} : (!hip.held<tensor<64x64xf32, #sums>, 1>, !hip.slot<<bf16, [64, 64], <8, 1, 8>>>, !hip.slot<<bf16, [64, 64], <8, 1, 8>>>) -> ()

// -----

// expected-error @below {{'hip.empty' op has 64 slots, expected at most 32, the bits of a register}}
%e = hip.empty {offset = 64 : i64, slots = 64 : i64, waves = 8 : i64} : () -> !hip.empty<64>

// -----

// A row of what has four dimensions has five.
%v, %i, %m = "some.values"() : () -> (!hip.view<bf16, 4>, index, !hip.tensor_map<<bf16, [64, 64], <8, 1, 8>>>)
// expected-error @below {{'hip.mapped_feed' op fills '!hip.shared<bf16, [64, 64], <8, 1, 8>>' from 5 dimensions of 'bf16', expected two to four dimensions and one element type}}
%f = hip.mapped_feed %v, %i, %i, %i, %i, %m, %i {operandSegmentSizes = array<i32: 1, 4, 1, 1>} : (!hip.view<bf16, 4>, index, index, index, index, !hip.tensor_map<<bf16, [64, 64], <8, 1, 8>>>, index) -> !hip.direct_feed<<bf16, [64, 64], <8, 1, 8>>>

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
%acc, %a, %b = "any.values"() : () -> (!hip.held<tensor<64x64xf32, #sums>, 1>, tensor<64x64xbf16, #sums>, !hip.slot<<bf16, [64, 64], <8, 1, 8>>>)
// expected-error @below {{'hip.multiply_async' op promotes products of a tile in registers, expected products of two slots that sums are added to}}
hip.multiply_async %acc, %a, %b {instruction = "Wgmma64x64x16", transposed, promoted} : (!hip.held<tensor<64x64xf32, #sums>, 1>, tensor<64x64xbf16, #sums>, !hip.slot<<bf16, [64, 64], <8, 1, 8>>>) -> ()

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
%acc, %b = "any.values"() : () -> (!hip.held<tensor<64x64xf32, #sums>, 1>, !hip.slot<<bf16, [64, 64], <8, 1, 8>>>)
// expected-error @below {{'hip.multiply_async' op promotes sums that begin with it, expected products of two slots that sums are added to}}
hip.multiply_async %acc, %b, %b {instruction = "Wgmma64x64x16", transposed, promoted, begins} : (!hip.held<tensor<64x64xf32, #sums>, 1>, !hip.slot<<bf16, [64, 64], <8, 1, 8>>>, !hip.slot<<bf16, [64, 64], <8, 1, 8>>>) -> ()

// -----

%full, %a, %b, %i = "any.values"() : () -> (!hip.full<2>, !hip.view<bf16, 2>, !hip.view<f32, 2>, index)
// expected-error @below {{'hip.relay' op moves '!hip.view<bf16, 2>' to '!hip.view<f32, 2>' from 2 coordinates on, expected two matrices of the same elements}}
hip.relay %full, %a, %i, %i, %i, %b {offset = 256 : i64, operandSegmentSizes = array<i32: 1, 1, 2, 1, 1>, rows = 8 : i64, slot_bytes = 4096 : i64, tile_columns = 64 : i64} : (!hip.full<2>, !hip.view<bf16, 2>, index, index, index, !hip.view<f32, 2>) -> ()

// -----

%full, %a, %i = "any.values"() : () -> (!hip.full<2>, !hip.view<bf16, 2>, index)
// expected-error @below {{'hip.relay' op moves tiles of 8 x 0, expected at least one element}}
hip.relay %full, %a, %i, %i, %i, %a {offset = 256 : i64, operandSegmentSizes = array<i32: 1, 1, 2, 1, 1>, rows = 8 : i64, slot_bytes = 4096 : i64, tile_columns = 0 : i64} : (!hip.full<2>, !hip.view<bf16, 2>, index, index, index, !hip.view<bf16, 2>) -> ()

// -----

%full, %a, %i = "any.values"() : () -> (!hip.full<2>, !hip.view<bf16, 2>, index)
// expected-error @below {{'hip.relay' op goes through slots of 100 bytes, expected a multiple of 128}}
hip.relay %full, %a, %i, %i, %i, %a {offset = 256 : i64, operandSegmentSizes = array<i32: 1, 1, 2, 1, 1>, rows = 8 : i64, slot_bytes = 100 : i64, tile_columns = 64 : i64} : (!hip.full<2>, !hip.view<bf16, 2>, index, index, index, !hip.view<bf16, 2>) -> ()

// -----

%full, %a, %i = "any.values"() : () -> (!hip.full<2>, !hip.view<bf16, 2>, index)
// expected-error @below {{'hip.relay' op moves to nowhere, expected a view at least}}
hip.relay %full, %a, %i, %i, %i {offset = 256 : i64, operandSegmentSizes = array<i32: 1, 1, 2, 1, 0>, rows = 8 : i64, slot_bytes = 4096 : i64, tile_columns = 64 : i64} : (!hip.full<2>, !hip.view<bf16, 2>, index, index, index) -> ()

// -----

%s, %v, %i = "any.values"() : () -> (!hip.slot<<bf16, [4], <1, 1, 1>>>, !hip.view<bf16, 2>, index)
// expected-error @below {{'hip.copying_run' op fills '!hip.shared<bf16, [4], <1, 1, 1>>' from '!hip.view<bf16, 2>', expected a run of its elements, of a multiple of 16 bytes, as it lies}}
%c = hip.copying_run %s, %v, %i, %i : (!hip.slot<<bf16, [4], <1, 1, 1>>>, !hip.view<bf16, 2>, index, index) -> !hip.activity

// -----

%s, %v, %i = "any.values"() : () -> (!hip.slot<<bf16, [128], <1, 1, 1>>>, !hip.view<bf16, 2>, index)
// expected-error @below {{'hip.copying_run' op begins at 1 coordinates, expected those of a view of 2 dimensions, one at least}}
%c = hip.copying_run %s, %v, %i : (!hip.slot<<bf16, [128], <1, 1, 1>>>, !hip.view<bf16, 2>, index) -> !hip.activity

// -----

#whole = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#other = #tile.layout<registers = [[0, 1], [0, 8], [8, 0], [0, 16]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
%t, %i = "any.values"() : () -> (tensor<64x64xf32, #whole>, index)
// expected-error-re @below {{'hip.part' op takes 'tensor<64x32xf32, {{.*}}>' for a part of 'tensor<64x64xf32, {{.*}}>', expected registers of it that follow each other, in their layout}}
%p = hip.part %t, %i : (tensor<64x64xf32, #whole>, index) -> tensor<64x32xf32, #other>

// -----

#whole = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#half = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
%t, %p = "any.values"() : () -> (tensor<64x64xf32, #whole>, tensor<64x32xf32, #half>)
%two = arith.constant 2 : index
// expected-error-re @below {{'hip.with_part' op takes part number {{.*}}, expected a constant or the slot of a 'hip.consume' modulo 2}}
%n = hip.with_part %t, %two, %p : (tensor<64x64xf32, #whole>, index, tensor<64x32xf32, #half>) -> tensor<64x64xf32, #whole>

// -----

%s, %v = "any.values"() : () -> (!hip.slot<<bf16, [128], <1, 1, 1>>>, !hip.view<bf16, 0>)
// expected-error @below {{'hip.copying_run' op begins at 0 coordinates, expected those of a view of 0 dimensions, one at least}}
%c = hip.copying_run %s, %v : (!hip.slot<<bf16, [128], <1, 1, 1>>>, !hip.view<bf16, 0>) -> !hip.activity

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
%acc, %a, %b = "any.values"() : () -> (!hip.held<tensor<64x64xf32, #sums>, 1>, tensor<64x64xbf16, #sums>, !hip.slot<<bf16, [64, 64], <8, 1, 8>>>)
// expected-error @below {{'hip.multiply_async' op transposes a tile in registers, expected a slot}}
hip.multiply_async %acc, %a, %b {instruction = "Wgmma64x64x16", lhs_transposed} : (!hip.held<tensor<64x64xf32, #sums>, 1>, tensor<64x64xbf16, #sums>, !hip.slot<<bf16, [64, 64], <8, 1, 8>>>) -> ()
