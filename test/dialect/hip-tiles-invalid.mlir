// What the device headers would refuse when the text is compiled is refused by the exit dialect.
// RUN: tilec-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

%c = "any.values"() : () -> (f32)
// expected-error @below {{tile 'tensor<64xf32>' has no layout}}
%t = "hip.splat"(%c) : (f32) -> tensor<64xf32>

// -----

#deep = #tile.layout<registers = [], lanes = [[1, 0, 0, 0, 0]], waves = []>
%c = "any.values"() : () -> (f32)
// expected-error @below {{has 5 dimensions, expected 1 to 4}}
%t = "hip.splat"(%c) : (f32) -> tensor<2x1x1x1x1xf32, #deep>

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
%c = "any.values"() : () -> (f32)
// expected-error @below {{has an extent of 12, expected a power of two up to 65536, or a multiple of 8 in one or two dimensions}}
%t = "hip.splat"(%c) : (f32) -> tensor<12xf32, #row>

// -----

#row = #tile.layout<registers = [[1, 0, 0]], lanes = [[0, 0, 1], [0, 0, 2], [0, 0, 4], [0, 0, 8], [0, 0, 16], [0, 0, 32]], waves = []>
%c = "any.values"() : () -> (f32)
// expected-error @below {{has an extent of 48, expected a power of two up to 65536, or a multiple of 8 in one or two dimensions}}
%t = "hip.splat"(%c) : (f32) -> tensor<2x1x48xf32, #row>

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
%c = "any.values"() : () -> (f32)
// expected-error @below {{has a layout whose last registers are not those beyond its 48 elements in dimension 0}}
%t = "hip.splat"(%c) : (f32) -> tensor<48xf32, #row>

// -----

#early = #tile.layout<registers = [[0, 8], [0, 16], [8, 0]], lanes = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = []>
%c = "any.values"() : () -> (f32)
// expected-error @below {{has a layout whose last registers are not those beyond its 24 elements in dimension 1}}
%t = "hip.splat"(%c) : (f32) -> tensor<16x24xf32, #early>

// -----

#few = #tile.layout<registers = [[0, 8]], lanes = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = []>
%c = "any.values"() : () -> (f32)
// expected-error @below {{has 256 elements, its layout holds 128}}
%t = "hip.splat"(%c) : (f32) -> tensor<8x24xf32, #few>

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
%c = "any.values"() : () -> (f32)
// expected-error @below {{has a layout of 1 dimensions}}
%t = "hip.splat"(%c) : (f32) -> tensor<8x8xf32, #row>

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
%c = "any.values"() : () -> (f32)
// expected-error @below {{has a layout that leaves it: 32 in dimension 0}}
%t = "hip.splat"(%c) : (f32) -> tensor<32xf32, #row>

// -----

#half = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [0]], waves = []>
%c = "any.values"() : () -> (f32)
// expected-error @below {{has 64 elements, its layout holds 32}}
%t = "hip.splat"(%c) : (f32) -> tensor<64xf32, #half>

// -----

#many = #tile.layout<registers = [[0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0]], lanes = [], waves = []>
%c = "any.values"() : () -> (f32)
// expected-error @below {{needs more than 4096 registers of a thread}}
%t = "hip.splat"(%c) : (f32) -> tensor<1xf32, #many>

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
%c = "any.values"() : () -> (f16)
// expected-error @below {{has elements of type 'f16', expected 'f32'}}
%t = "hip.splat"(%c) : (f16) -> tensor<64xf32, #row>

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
// expected-error @below {{counts along dimension 1 of}}
%t = "hip.iota"() {dim = 1 : i64} : () -> tensor<64xi32, #row>

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
#wide = #tile.layout<registers = [[0, 1]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], waves = []>
%t = "any.values"() : () -> (tensor<64xf32, #row>)
// expected-error-re @below {{makes 'tensor<64x2xf32{{.*}}' of 'tensor<64xf32{{.*}}', expected its shape without the added dimensions}}
%u = "hip.broadcast"(%t) {dims = array<i64: 0>} : (tensor<64xf32, #row>) -> tensor<64x2xf32, #wide>

// -----

// A lane wants element 16 from the register that its own number chooses: `layout` converts before.
#held = #tile.layout<registers = [[16]], lanes = [[1], [2], [4], [8], [0], [0]], waves = []>
#wanted = #tile.layout<registers = [[0, 1]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 0]], waves = []>
%t = "any.values"() : () -> (tensor<32xf32, #held>)
// expected-error-re @below {{moves elements between threads or by thread: got 'tensor<32xf32{{.*}}' for 'tensor<32x2xf32{{.*}}', expected the layout of the result without the added dimensions}}
%u = "hip.broadcast"(%t) {dims = array<i64: 1>} : (tensor<32xf32, #held>) -> tensor<32x2xf32, #wanted>

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
%t = "any.values"() : () -> (tensor<64xf32, #row>)
// expected-error-re @below {{makes 'tensor<64xf32{{.*}}' of 'tensor<64xf32{{.*}}', expected its shape without dimension 0}}
%u = "hip.reduce"(%t) {dim = 0 : i64, kind = #tile<reduction add>} : (tensor<64xf32, #row>) -> tensor<64xf32, #row>

// -----

#slanted = #tile.layout<registers = [[1, 1]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], waves = []>
#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
%t = "any.values"() : () -> (tensor<64x2xf32, #slanted>)
// expected-error-re @below {{reduces 'tensor<64x2xf32{{.*}}', expected a layout whose bases run along the dimension alone or not at all}}
%u = "hip.reduce"(%t) {dim = 1 : i64, kind = #tile<reduction add>} : (tensor<64x2xf32, #slanted>) -> tensor<64xf32, #row>

// -----

#waves = #tile.layout<registers = [], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], waves = [[0, 1]]>
#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = [[0]]>
%t = "any.values"() : () -> (tensor<64x2xf32, #waves>)
// expected-error-re @below {{of 'tensor<64x2xf32{{.*}}' to 'tensor<64xf32{{.*}}' crosses waves or changes the layout, expected scratch}}
%u = "hip.reduce"(%t) {dim = 1 : i64, kind = #tile<reduction add>} : (tensor<64x2xf32, #waves>) -> tensor<64xf32, #row>

// -----

#waves = #tile.layout<registers = [], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], waves = [[0, 1]]>
#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = [[0]]>
%t, %s = "any.values"() : () -> (tensor<64x2xf32, #waves>, !hip.shared<f32, [64], #tile.shared<1, 1, 1>>)
// expected-error @below {{has scratch for 64 elements, expected 128}}
%u = "hip.reduce"(%t, %s) {dim = 1 : i64, kind = #tile<reduction add>} : (tensor<64x2xf32, #waves>, !hip.shared<f32, [64], #tile.shared<1, 1, 1>>) -> tensor<64xf32, #row>

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
%t = "any.values"() : () -> (tensor<64xf32, #row>)
// expected-error-re @below {{makes 'tensor<64xf32{{.*}}' of 'tensor<64xf32{{.*}}' along dimension 1, expected the same type and one of its dimensions}}
%u = "hip.scan"(%t) {dim = 1 : i64, kind = #tile<reduction add>} : (tensor<64xf32, #row>) -> tensor<64xf32, #row>

// -----

#mixed = #tile.layout<registers = [[3]], lanes = [[1], [4], [8], [16], [32], [64]], waves = []>
%t = "any.values"() : () -> (tensor<128xf32, #mixed>)
// expected-error-re @below {{scans 'tensor<128xf32{{.*}}', expected a layout whose bases along the dimension are powers of two, and of no other}}
%u = "hip.scan"(%t) {dim = 0 : i64, kind = #tile<reduction add>} : (tensor<128xf32, #mixed>) -> tensor<128xf32, #mixed>

// -----

#waves = #tile.layout<registers = [], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], waves = [[0, 1]]>
%t = "any.values"() : () -> (tensor<64x2xf32, #waves>)
// expected-error-re @below {{of 'tensor<64x2xf32{{.*}}' crosses waves, expected scratch}}
%u = "hip.scan"(%t) {dim = 1 : i64, kind = #tile<reduction add>} : (tensor<64x2xf32, #waves>) -> tensor<64x2xf32, #waves>

// -----

#waves = #tile.layout<registers = [], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], waves = [[0, 1]]>
%t, %s = "any.values"() : () -> (tensor<64x2xf32, #waves>, !hip.shared<f32, [64], #tile.shared<1, 1, 1>>)
// expected-error @below {{has scratch for 64 elements, expected 128}}
%u = "hip.scan"(%t, %s) {dim = 1 : i64, kind = #tile<reduction add>} : (tensor<64x2xf32, #waves>, !hip.shared<f32, [64], #tile.shared<1, 1, 1>>) -> tensor<64x2xf32, #waves>

// -----

#m = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [0, 8]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 0], [0, 0]], waves = []>
#small = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 0], [0, 0]], waves = []>
%a, %b = "any.values"() : () -> (tensor<16x16xf32, #m>, tensor<16x8xf32, #small>)
// expected-error-re @below {{multiplies 'tensor<16x16xf32{{.*}}' and 'tensor<16x8xf32{{.*}}' into 'tensor<16x16xf32{{.*}}', expected shapes that agree}}
%u = "hip.dot"(%a, %b, %a) {transposed} : (tensor<16x16xf32, #m>, tensor<16x8xf32, #small>, tensor<16x16xf32, #m>) -> tensor<16x16xf32, #m>

// -----

#m = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [0, 8]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 0], [0, 0]], waves = []>
#n = #tile.layout<registers = [[0, 1], [0, 2], [0, 8], [0, 4]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 0], [0, 0]], waves = []>
%a = "any.values"() : () -> (tensor<16x16xf32, #m>)
// expected-error-re @below {{makes 'tensor<16x16xf32{{.*}}', expected the type of the accumulator 'tensor<16x16xf32}}
%u = "hip.dot"(%a, %a, %a) {transposed} : (tensor<16x16xf32, #m>, tensor<16x16xf32, #m>, tensor<16x16xf32, #m>) -> tensor<16x16xf32, #n>

// -----

// Every thread has the rows of a that it needs, but of b only the row of its own number.
#m = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [0, 8]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 0], [0, 0]], waves = []>
%a = "any.values"() : () -> (tensor<16x16xf32, #m>)
// expected-error-re @below {{needs elements of other threads: got operands 'tensor<16x16xf32{{.*}}' and 'tensor<16x16xf32{{.*}}' for sums 'tensor<16x16xf32}}
%u = "hip.dot"(%a, %a, %a) {transposed} : (tensor<16x16xf32, #m>, tensor<16x16xf32, #m>, tensor<16x16xf32, #m>) -> tensor<16x16xf32, #m>

// -----

// expected-error @below {{LDS tile of shape [12], expected one to four powers of two, the first of them (in panels the last) may be another multiple of 8}}
%s = "any.values"() : () -> (!hip.shared<f32, [12], #tile.shared<1, 1, 1>>)

// -----

// expected-error @below {{LDS tile of shape [16, 48], expected one to four powers of two, the first of them (in panels the last) may be another multiple of 8}}
%s = "any.values"() : () -> (!hip.shared<f32, [16, 48], #tile.shared<1, 1, 1>>)

// -----

// expected-error @below {{LDS tile of shape [48, 32], expected one to four powers of two, the first of them (in panels the last) may be another multiple of 8}}
%s = "any.values"() : () -> (!hip.shared<f32, [48, 32], #tile.shared<1, 1, 1 panel 16>>)

// -----

// expected-error @below {{panels of 32 columns of an LDS tile of shape [16, 48], expected a matrix of a whole number of them}}
%s = "any.values"() : () -> (!hip.shared<f32, [16, 48], #tile.shared<1, 1, 1 panel 32>>)

// -----

// These are right.
%a, %b = "any.values"() : () -> (!hip.shared<f32, [48, 16], #tile.shared<1, 1, 1>>, !hip.shared<f32, [16, 48], #tile.shared<1, 1, 1 panel 16>>)

// -----

// expected-error @below {{swizzle of 8 x 4 elements, expected at most a row of 16}}
%s = "any.values"() : () -> (!hip.shared<f32, [16, 16], #tile.shared<8, 1, 4>>)

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
%s = "any.values"() : () -> (!hip.shared<f32, [32], #tile.shared<1, 1, 1>>)
// expected-error-re @below {{moves 'tensor<64xf32{{.*}}' and '!hip.shared<f32, [32], {{.*}}', expected one shape}}
%u = "hip.shared_load"(%s) : (!hip.shared<f32, [32], #tile.shared<1, 1, 1>>) -> tensor<64xf32, #row>

// -----

#square = #tile.layout<registers = [], lanes = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], waves = []>
%view, %i = "any.values"() : () -> (!hip.view<f32, 1>, index)
// expected-error-re @below {{has '!hip.view<f32, 1>', expected at least the dimensions of 'tensor<8x8xf32}}
%t = "hip.load"(%view, %i) {operandSegmentSizes = array<i32: 1, 1, 0>, vector = 1 : i64} : (!hip.view<f32, 1>, index) -> tensor<8x8xf32, #square>

// -----

#square = #tile.layout<registers = [], lanes = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], waves = []>
%view, %i = "any.values"() : () -> (!hip.view<f32, 2>, index)
// expected-error-re @below {{moves 4 elements of 'tensor<8x8xf32{{.*}}' per access, expected registers that run along the last dimension}}
%t = "hip.load"(%view, %i, %i) {operandSegmentSizes = array<i32: 1, 2, 0>, vector = 4 : i64} : (!hip.view<f32, 2>, index, index) -> tensor<8x8xf32, #square>

// -----

#run = #tile.layout<registers = [[1], [2]], lanes = [[4], [8], [16], [32], [64], [128]], waves = []>
%pointer, %i, %n, %one = "any.values"() : () -> (!hip.pointer<f32, false>, index, index, index)
%zero = arith.constant 0 : index
%view = "hip.view"(%pointer, %n, %n, %n, %one) {operandSegmentSizes = array<i32: 1, 2, 2>} : (!hip.pointer<f32, false>, index, index, index, index) -> !hip.view<f32, 2>
// expected-error-re @below {{has 'tensor<256xf32{{.*}}' as a run of '!hip.view<f32, 2>', expected all of its last dimension, with bits of its own for each register and thread}}
%t = "hip.load"(%view, %i, %zero) {operandSegmentSizes = array<i32: 1, 2, 0>, vector = 4 : i64, packed} : (!hip.view<f32, 2>, index, index) -> tensor<256xf32, #run>

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
%t, %s = "any.values"() : () -> (tensor<64x64xbf16, #sums>, !hip.shared<bf16, [32, 32], <8, 1, 4>>)
// expected-error-re @below {{'hip.rearrange' op turns {{.*}} into {{.*}} through '!hip.shared<bf16, [32, 32], <8, 1, 4>>', expected one shape, and a part of its columns in LDS, or of its rows}}
%r = hip.rearrange %t, %s : (tensor<64x64xbf16, #sums>, !hip.shared<bf16, [32, 32], <8, 1, 4>>) -> tensor<64x64xbf16, #rows>

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#mixed = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[4, 0], [8, 0]]>
%t, %s = "any.values"() : () -> (tensor<64x64xbf16, #sums>, !hip.shared<bf16, [64, 64], <8, 1, 8>>)
// expected-error-re @below {{'hip.rearrange' op cannot turn {{.*}} into {{.*}}: waves would hold other elements}}
%r = hip.rearrange %t, %s : (tensor<64x64xbf16, #sums>, !hip.shared<bf16, [64, 64], <8, 1, 8>>) -> tensor<64x64xbf16, #mixed>

// -----

// Parts of 24 rows are told by no bits of registers.
#turned = #tile.layout<registers = [[1, 0], [0, 8], [8, 0], [16, 0], [32, 0], [64, 0]], lanes = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], waves = [[0, 16], [0, 32]]>
#runs = #tile.layout<registers = [[0, 1], [0, 2], [8, 0], [16, 0], [32, 0], [64, 0]], lanes = [[0, 4], [0, 8], [2, 0], [4, 0], [1, 0]], waves = [[0, 16], [0, 32]]>
%t, %s = "any.values"() : () -> (tensor<72x64xbf16, #turned>, !hip.shared<bf16, [24, 64], <8, 1, 8>>)
// expected-error-re @below {{'hip.rearrange' op turns {{.*}} into {{.*}} through '!hip.shared<bf16, [24, 64], <8, 1, 8>>', expected one shape, and a part of its columns in LDS, or of its rows}}
%r = hip.rearrange %t, %s : (tensor<72x64xbf16, #turned>, !hip.shared<bf16, [24, 64], <8, 1, 8>>) -> tensor<72x64xbf16, #runs>
