// What the device headers would refuse of accesses whose place is data.
// RUN: tilec-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

#rows = #tile.layout<registers = [], lanes = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], waves = []>
#index = #tile.layout<registers = [], lanes = [[1], [2], [4], [0], [0], [0]], waves = []>
%v, %zero, %index = "any.values"() : () -> (!hip.view<f32, 2>, index, tensor<8xi32, #index>)
// expected-error @below {{names elements of dimension 2 of '!hip.view<f32, 2>', expected one that the tile has}}
%t = "hip.gather"(%v, %zero, %zero, %index) <{dim = 2, vector = 1, operandSegmentSizes = array<i32: 1, 2, 1, 0>}> : (!hip.view<f32, 2>, index, index, tensor<8xi32, #index>) -> tensor<8x8xf32, #rows>

// -----

#rows = #tile.layout<registers = [], lanes = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], waves = []>
#index = #tile.layout<registers = [], lanes = [[1], [2], [4], [0], [0], [0]], waves = []>
%v, %zero, %index = "any.values"() : () -> (!hip.view<f32, 2>, index, tensor<8xf32, #index>)
// expected-error-re @below {{has indices {{.*}}, expected one of i32 for each element of dimension 0 of}}
%t = "hip.gather"(%v, %zero, %zero, %index) <{dim = 0, vector = 1, operandSegmentSizes = array<i32: 1, 2, 1, 0>}> : (!hip.view<f32, 2>, index, index, tensor<8xf32, #index>) -> tensor<8x8xf32, #rows>

// -----

#rows = #tile.layout<registers = [[0, 1]], lanes = [[1, 0], [2, 0], [4, 0], [0, 2], [0, 4], [0, 0]], waves = []>
#index = #tile.layout<registers = [[1]], lanes = [[0], [0], [0], [2], [4], [0]], waves = []>
%v, %zero, %index = "any.values"() : () -> (!hip.view<f32, 2>, index, tensor<8xi32, #index>)
// expected-error @below {{moves 2 elements per access, expected 1 where each has an index}}
%t = "hip.gather_live"(%v, %zero, %zero, %index) <{dim = 1, vector = 2, operandSegmentSizes = array<i32: 1, 2, 1, 0>}> : (!hip.view<f32, 2>, index, index, tensor<8xi32, #index>) -> tensor<8x8xf32, #rows>

// -----

#rows = #tile.layout<registers = [], lanes = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], waves = []>
#index = #tile.layout<registers = [], lanes = [[0], [0], [0], [1], [2], [4]], waves = []>
%v, %zero, %index, %t = "any.values"() : () -> (!hip.view<f32, 2>, index, tensor<8xi32, #index>, tensor<8x8xf32, #rows>)
// expected-error-re @below {{has indices {{.*}} for {{.*}}, expected the layout of the tile in dimension 0 alone}}
"hip.scatter"(%t, %v, %zero, %zero, %index) <{dim = 0, vector = 1}> : (tensor<8x8xf32, #rows>, !hip.view<f32, 2>, index, index, tensor<8xi32, #index>) -> ()

// -----

%v, %zero = "any.values"() : () -> (!hip.view<i32, 2>, index)
// expected-error @below {{has 1 coordinates, expected 2 as in '!hip.view<i32, 2>'}}
%n = "hip.number"(%v, %zero, %zero) : (!hip.view<i32, 2>, index, index) -> index

// -----

%v, %zero = "any.values"() : () -> (!hip.view<f32, 1>, index)
// expected-error @below {{reads a number of '!hip.view<f32, 1>', expected a view of i32}}
%n = "hip.number"(%v, %zero, %zero) : (!hip.view<f32, 1>, index, index) -> index
