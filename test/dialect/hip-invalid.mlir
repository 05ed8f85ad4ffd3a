// What no text can mean is rejected by the exit dialect.
// RUN: tilec-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
%view, %i = "any.values"() : () -> (!hip.view<f32, 2>, index)
// expected-error @below {{has 1 coordinates, expected 2 as in '!hip.view<f32, 2>'}}
%t = "hip.load"(%view, %i) {operandSegmentSizes = array<i32: 1, 1, 0>, vector = 1 : i64} : (!hip.view<f32, 2>, index) -> tensor<64xf32, #row>

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
%view, %i = "any.values"() : () -> (!hip.view<f32, 1>, index)
// expected-error @below {{expected a tile of 'f32', the element type of '!hip.view<f32, 1>', got 'bf16'}}
%t = "hip.load"(%view, %i) {operandSegmentSizes = array<i32: 1, 1, 0>, vector = 1 : i64} : (!hip.view<f32, 1>, index) -> tensor<64xbf16, #row>

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
%view, %i = "any.values"() : () -> (!hip.view<f32, 1>, index)
// expected-error @below {{moves 3 elements per access, expected a power of two}}
%t = "hip.load"(%view, %i) {operandSegmentSizes = array<i32: 1, 1, 0>, vector = 3 : i64} : (!hip.view<f32, 1>, index) -> tensor<64xf32, #row>

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
%t, %view, %i = "any.values"() : () -> (tensor<64xf64, #row>, !hip.view<f64, 1>, index)
// expected-error @below {{combines elements of type 'f64', expected f32, bf16, f16, i32 or i64}}
"hip.atomic"(%t, %view, %i) {kind = #tile<reduction add>, scope = #tile<scope agent>} : (tensor<64xf64, #row>, !hip.view<f64, 1>, index) -> ()

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
%t, %view, %i = "any.values"() : () -> (tensor<64xi32, #row>, !hip.view<i32, 1>, index)
// expected-error @below {{combines by 'xor', expected 'add', 'maximum' or 'minimum'}}
"hip.atomic"(%t, %view, %i) {kind = #tile<reduction xor>, scope = #tile<scope agent>} : (tensor<64xi32, #row>, !hip.view<i32, 1>, index) -> ()

// -----

%launch, %signals, %i = "any.values"() : () -> (!hip.launch, !hip.signals<2>, index)
// expected-error @below {{has lag -1, expected 0 to 64}}
"hip.wait"(%launch, %signals, %i, %i, %i, %i) {lag = -1 : i64, operandSegmentSizes = array<i32: 1, 1, 2, 2>, scope = #tile<scope agent>} : (!hip.launch, !hip.signals<2>, index, index, index, index) -> ()

// -----

%launch, %signals, %i = "any.values"() : () -> (!hip.launch, !hip.signals<2>, index)
// expected-error @below {{has a box of rank 1, expected 2}}
"hip.wait"(%launch, %signals, %i, %i) {operandSegmentSizes = array<i32: 1, 1, 1, 1>, scope = #tile<scope agent>} : (!hip.launch, !hip.signals<2>, index, index) -> ()

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
%t = "any.values"() : () -> (tensor<64xf32, #row>)
// expected-error @below {{needs one element per operand}}
%u = "hip.elementwise"(%t) ({
^bb0(%a: f32, %b: f32):
  "hip.yield"(%a) : (f32) -> ()
}) : (tensor<64xf32, #row>) -> tensor<64xf32, #row>

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
%t = "any.values"() : () -> (tensor<64xf32, #row>)
// expected-error @below {{element of type 'bf16' of 'tensor<64xf32}}
%u = "hip.elementwise"(%t) ({
^bb0(%a: bf16):
  "hip.yield"(%a) : (bf16) -> ()
}) : (tensor<64xf32, #row>) -> tensor<64xbf16, #row>

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
#two = #tile.layout<registers = [[64]], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
%t = "any.values"() : () -> (tensor<128xf32, #two>)
// The type is printed between the two parts.
// expected-error-re @below {{operand 'tensor<128xf32{{.*}}' has another number of registers than 'tensor<64xf32}}
%u = "hip.elementwise"(%t) ({
^bb0(%a: f32):
  "hip.yield"(%a) : (f32) -> ()
}) : (tensor<128xf32, #two>) -> tensor<64xf32, #row>

// -----

#run = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = []>
%grid, %view, %i = "any.values"() : () -> (!hip.signals<1>, !hip.view<bf16, 2>, index)
%t = "any.tile"() : () -> tensor<128xbf16, #run>
// expected-error @below {{moves words of 16 bits of 'bf16', expected floats, at least 32 bits of them}}
"hip.post"(%grid, %i, %i, %t, %view, %i, %i) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 2>, vector = 1 : i64} : (!hip.signals<1>, index, index, tensor<128xbf16, #run>, !hip.view<bf16, 2>, index, index) -> ()

// -----

#shared = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [0]], waves = []>
%launch, %grid, %view, %i = "any.values"() : () -> (!hip.launch, !hip.signals<1>, !hip.view<f32, 2>, index)
// expected-error @below {{moves words of 'tensor<64xf32, #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [0]], waves = []>>', expected one dimension, of which each element has one thread}}
%t = "hip.receive"(%launch, %grid, %i, %view, %i) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1>, vector = 2 : i64} : (!hip.launch, !hip.signals<1>, index, !hip.view<f32, 2>, index) -> tensor<64xf32, #shared>

// -----

#run = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = []>
%launch, %grid, %view, %i = "any.values"() : () -> (!hip.launch, !hip.signals<2>, !hip.view<f32, 2>, index)
// expected-error @below {{names a signal by 1 indices, expected 2}}
%t = "hip.receive"(%launch, %grid, %i, %view, %i) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1>, vector = 2 : i64} : (!hip.launch, !hip.signals<2>, index, !hip.view<f32, 2>, index) -> tensor<128xf32, #run>

// -----

#run = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = []>
%launch, %grid, %view, %i = "any.values"() : () -> (!hip.launch, !hip.signals<1>, !hip.view<f32, 2>, index)
// expected-error @below {{gives 3 tiles, expected 2 of 3 ranks}}
%t = "hip.receive_others"(%launch, %grid, %i, %view, %i) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1>, vector = 2 : i64, world = 3 : i64} : (!hip.launch, !hip.signals<1>, index, !hip.view<f32, 2>, index) -> !hip.tiles<3, tensor<128xf32, #run>>

// -----

#run = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = []>
%launch, %grid, %view, %own, %i = "any.values"() : () -> (!hip.launch, !hip.signals<1>, !hip.view<f32, 2>, tensor<64xf32, #run>, index)
// expected-error @below {{has a tile of its own of another type, expected 'tensor<128xf32, #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = []>>'}}
%t = "hip.receive_all"(%launch, %grid, %i, %own, %view, %i) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 1>, vector = 2 : i64, world = 3 : i64} : (!hip.launch, !hip.signals<1>, index, tensor<64xf32, #run>, !hip.view<f32, 2>, index) -> !hip.tiles<3, tensor<128xf32, #run>>

// -----

#run = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = []>
%tiles = "any.tiles"() : () -> !hip.tiles<2, tensor<128xf32, #run>>
// expected-error @below {{gives tile 2 as 'tensor<128xf32, #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = []>>', expected one of '!hip.tiles<2, tensor<128xf32,}}
%t = "hip.tile_of"(%tiles) {number = 2 : i64} : (!hip.tiles<2, tensor<128xf32, #run>>) -> tensor<128xf32, #run>
