// RUN: tilec-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%v, %i = "any.values"() : () -> (!hip.view<f32, 2>, index)
// expected-error-re @below {{'hip.feed' op feeds 'tensor<16x32xbf16{{.*}}>' from '!hip.view<f32, 2>' at 2 coordinates, expected two dimensions and one element type}}
%f = hip.feed %v, %i, %i {vector = 8 : i64} : (!hip.view<f32, 2>, index, index) -> !hip.feed<tensor<16x32xbf16, #rows>>

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%v, %i = "any.values"() : () -> (!hip.view<bf16, 2>, index)
// expected-error-re @below {{'hip.feed' op feeds 'tensor<16x32xbf16{{.*}}>' from '!hip.view<bf16, 2>' at 1 coordinates, expected two dimensions and one element type}}
%f = hip.feed %v, %i {vector = 8 : i64} : (!hip.view<bf16, 2>, index) -> !hip.feed<tensor<16x32xbf16, #rows>>

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%v, %i = "any.values"() : () -> (!hip.view<bf16, 2>, index)
// expected-error-re @below {{'hip.feed' op moves 16 elements of 'tensor<16x32xbf16{{.*}}>' per access, expected registers that run along the rows}}
%f = hip.feed %v, %i, %i {vector = 16 : i64} : (!hip.view<bf16, 2>, index, index) -> !hip.feed<tensor<16x32xbf16, #rows>>

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%v, %i = "any.values"() : () -> (!hip.view<bf16, 2>, index)
// expected-error-re @below {{'hip.feed' op moves 8 elements of 'tensor<16x32xbf16{{.*}}>' per access, expected registers that run along the columns}}
%f = hip.feed %v, %i, %i {across, vector = 8 : i64} : (!hip.view<bf16, 2>, index, index) -> !hip.feed<tensor<16x32xbf16, #rows>>

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%v, %i = "any.values"() : () -> (!hip.view<bf16, 2>, index)
// expected-error-re @below {{'hip.feed' op moves 6 elements of 'tensor<16x32xbf16{{.*}}>' per access, expected registers that run along the rows}}
%f = hip.feed %v, %i, %i {vector = 6 : i64} : (!hip.view<bf16, 2>, index, index) -> !hip.feed<tensor<16x32xbf16, #rows>>

// -----

// expected-error-re @below {{'hip.ring' op has 3 slots, expected as many as '!hip.ring<{{.*}}, 2>' has, at least 1}}
%r = hip.ring {offset = 128 : i64, slots = 3 : i64} : () -> !hip.ring<<bf16, [16, 32], <8, 2, 4>>, 2>

// -----

// expected-error-re @below {{'hip.ring' op has 0 slots, expected as many as '!hip.ring<{{.*}}, 0>' has, at least 1}}
%r = hip.ring {offset = 128 : i64, slots = 0 : i64} : () -> !hip.ring<<bf16, [16, 32], <8, 2, 4>>, 0>

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%r = "any.values"() : () -> (!hip.ring<<bf16, [16, 32], <8, 2, 4>>, 2>)
// expected-error-re @below {{'hip.addresses' op yields '!hip.addresses<{{.*}}, 4>>', expected addresses in '!hip.ring<{{.*}}, 2>'}}
%t = hip.addresses %r : (!hip.ring<<bf16, [16, 32], <8, 2, 4>>, 2>) -> !hip.addresses<tensor<16x32xbf16, #rows>, <<bf16, [16, 32], <8, 2, 4>>, 4>>

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%r = "any.values"() : () -> (!hip.ring<<bf16, [32, 32], <8, 2, 4>>, 2>)
// expected-error-re @below {{'hip.addresses' op moves 'tensor<16x32xbf16{{.*}}>' and '!hip.shared<{{.*}}>', expected matrices of one shape and element type}}
%t = hip.addresses %r : (!hip.ring<<bf16, [32, 32], <8, 2, 4>>, 2>) -> !hip.addresses<tensor<16x32xbf16, #rows>, <<bf16, [32, 32], <8, 2, 4>>, 2>>

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
// expected-error @below {{'hip.hold' op declares 0 tiles, expected 1 with a first value, else at least 1}}
%h = hip.hold -> <tensor<16x32xbf16, #rows>, 0>

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%t = "any.values"() : () -> (tensor<16x32xbf16, #rows>)
// expected-error @below {{'hip.hold' op declares 2 tiles, expected 1 with a first value, else at least 1}}
%h = hip.hold %t : tensor<16x32xbf16, #rows> -> <tensor<16x32xbf16, #rows>, 2>

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%t = "any.values"() : () -> (tensor<16x32xf32, #rows>)
// expected-error-re @below {{'hip.hold' op begins with 'tensor<16x32xf32{{.*}}>', expected 'tensor<16x32xbf16}}
%h = hip.hold %t : tensor<16x32xf32, #rows> -> <tensor<16x32xbf16, #rows>, 1>

// -----

// expected-error @below {{tile 'tensor<16x32xbf16>' has no layout}}
%h = hip.hold -> <tensor<16x32xbf16>, 1>

// -----

%r, %i = "any.values"() : () -> (!hip.ring<<bf16, [16, 32], <8, 2, 4>>, 2>, index)
// expected-error-re @below {{'hip.slot' op yields '!hip.slot<{{.*}}>', expected a slot of '!hip.ring<}}
%t = hip.slot %r, %i : (!hip.ring<<bf16, [16, 32], <8, 2, 4>>, 2>, index) -> !hip.slot<<bf16, [32, 32], <8, 2, 4>>>

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%h, %i = "any.values"() : () -> (!hip.held<tensor<16x32xbf16, #rows>, 2>, index)
// expected-error-re @below {{'hip.held_at' op yields '!hip.held<{{.*}}, 2>', expected a single tile of '!hip.held<}}
%t = hip.held_at %h, %i : (!hip.held<tensor<16x32xbf16, #rows>, 2>, index) -> !hip.held<tensor<16x32xbf16, #rows>, 2>

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%h = "any.values"() : () -> (!hip.held<tensor<16x32xbf16, #rows>, 2>)
// expected-error-re @below {{'hip.take' op works on '!hip.held<{{.*}}, 2>', expected a single tile}}
%t = hip.take %h : (!hip.held<tensor<16x32xbf16, #rows>, 2>) -> tensor<16x32xbf16, #rows>

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%h = "any.values"() : () -> (!hip.held<tensor<16x32xbf16, #rows>, 1>)
// expected-error-re @below {{'hip.take' op yields 'tensor<16x32xf32{{.*}}>', expected 'tensor<16x32xbf16}}
%t = hip.take %h : (!hip.held<tensor<16x32xbf16, #rows>, 1>) -> tensor<16x32xf32, #rows>

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%h, %t = "any.values"() : () -> (!hip.held<tensor<16x32xbf16, #rows>, 1>, tensor<16x32xf32, #rows>)
// expected-error-re @below {{'hip.put' op puts 'tensor<16x32xf32{{.*}}>' into '!hip.held<{{.*}}>', expected 'tensor<16x32xbf16}}
hip.put %h, %t : (!hip.held<tensor<16x32xbf16, #rows>, 1>, tensor<16x32xf32, #rows>) -> ()

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%a, %s = "any.values"() : () -> (!hip.addresses<tensor<16x32xbf16, #rows>, <<bf16, [16, 32], <8, 2, 4>>, 2>>, !hip.slot<<bf16, [16, 32], <8, 2, 4>>>)
// expected-error-re @below {{'hip.read_slot' op has '!hip.addresses<{{.*}}>', expected addresses of 'tensor<16x32xf16{{.*}}>' in '!hip.slot<}}
%x = hip.read_slot %a, %s : (!hip.addresses<tensor<16x32xbf16, #rows>, <<bf16, [16, 32], <8, 2, 4>>, 2>>, !hip.slot<<bf16, [16, 32], <8, 2, 4>>>) -> tensor<16x32xf16, #rows>

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%r = "any.values"() : () -> (!hip.ring<<bf16, [32, 16], <8, 1, 2>>, 2>)
// expected-error-re @below {{'hip.addresses' op moves 'tensor<16x32xbf16{{.*}}>' and '!hip.shared<{{.*}}>', expected matrices of one shape and element type}}
%a = hip.addresses %r : (!hip.ring<<bf16, [32, 16], <8, 1, 2>>, 2>) -> !hip.addresses<tensor<16x32xbf16, #rows>, <<bf16, [32, 16], <8, 1, 2>>, 2>>

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%h, %a, %s = "any.values"() : () -> (!hip.held<tensor<16x32xf16, #rows>, 1>, !hip.addresses<tensor<16x32xbf16, #rows>, <<bf16, [16, 32], <8, 2, 4>>, 2>>, !hip.slot<<bf16, [16, 32], <8, 2, 4>>>)
// expected-error-re @below {{'hip.reading' op has '!hip.addresses<{{.*}}>', expected addresses of 'tensor<16x32xf16{{.*}}>' in '!hip.slot<}}
%x = hip.reading %h, %a, %s : (!hip.held<tensor<16x32xf16, #rows>, 1>, !hip.addresses<tensor<16x32xbf16, #rows>, <<bf16, [16, 32], <8, 2, 4>>, 2>>, !hip.slot<<bf16, [16, 32], <8, 2, 4>>>) -> !hip.activity

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%h, %a, %s = "any.values"() : () -> (!hip.held<tensor<16x32xbf16, #rows>, 1>, !hip.addresses<tensor<16x32xbf16, #rows>, <<bf16, [16, 32], <8, 2, 4>>, 2>>, !hip.slot<<bf16, [16, 32], <4, 2, 4>>>)
// expected-error-re @below {{'hip.reading' op has '!hip.addresses<{{.*}}>', expected addresses of 'tensor<16x32xbf16{{.*}}>' in '!hip.slot<}}
%x = hip.reading %h, %a, %s : (!hip.held<tensor<16x32xbf16, #rows>, 1>, !hip.addresses<tensor<16x32xbf16, #rows>, <<bf16, [16, 32], <8, 2, 4>>, 2>>, !hip.slot<<bf16, [16, 32], <4, 2, 4>>>) -> !hip.activity

// -----

#twice = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [8, 0]], lanes = [[0, 0], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], waves = []>
%h, %a, %s = "any.values"() : () -> (!hip.held<tensor<16x32xbf16, #twice>, 1>, !hip.addresses<tensor<16x32xbf16, #twice>, <<bf16, [16, 32], <8, 2, 4>>, 2>>, !hip.slot<<bf16, [16, 32], <8, 2, 4>>>)
// expected-error-re @below {{'hip.depositing' op deposits 'tensor<16x32xbf16{{.*}}>', expected one thread for each element}}
%x = hip.depositing %s, %a, %h : (!hip.slot<<bf16, [16, 32], <8, 2, 4>>>, !hip.addresses<tensor<16x32xbf16, #twice>, <<bf16, [16, 32], <8, 2, 4>>, 2>>, !hip.held<tensor<16x32xbf16, #twice>, 1>) -> !hip.activity

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%h, %f, %i = "any.values"() : () -> (!hip.held<tensor<16x32xbf16, #rows>, 1>, !hip.feed<tensor<16x32xf16, #rows>>, index)
// expected-error-re @below {{'hip.fetching' op has '!hip.feed<{{.*}}>', expected a feed of 'tensor<16x32xbf16}}
%x = hip.fetching %h, %f, %i : (!hip.held<tensor<16x32xbf16, #rows>, 1>, !hip.feed<tensor<16x32xf16, #rows>>, index) -> !hip.activity

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
%h, %f, %i, %a, %s = "any.values"() : () -> (!hip.held<tensor<16x32xbf16, #rows>, 1>, !hip.feed<tensor<16x32xf16, #rows>>, index, !hip.addresses<tensor<16x32xbf16, #rows>, <<bf16, [16, 32], <8, 2, 4>>, 2>>, !hip.slot<<bf16, [16, 32], <8, 2, 4>>>)
// expected-error-re @below {{'hip.refilling' op has '!hip.feed<{{.*}}>', expected a feed of 'tensor<16x32xbf16}}
%x = hip.refilling %s, %a, %h, %f, %i : (!hip.slot<<bf16, [16, 32], <8, 2, 4>>>, !hip.addresses<tensor<16x32xbf16, #rows>, <<bf16, [16, 32], <8, 2, 4>>, 2>>, !hip.held<tensor<16x32xbf16, #rows>, 1>, !hip.feed<tensor<16x32xf16, #rows>>, index) -> !hip.activity

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
#sums = #tile.layout<registers = [[0, 1], [0, 2]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], waves = []>
%acc, %h = "any.values"() : () -> (!hip.held<tensor<16x16xf32, #sums>, 1>, !hip.held<tensor<16x32xbf16, #rows>, 1>)
// expected-error-re @below {{'hip.multiplying' op multiplies 'tensor<16x32xbf16{{.*}}>' and 'tensor<16x32xbf16{{.*}}>' into 'tensor<16x16xf32{{.*}}>', expected shapes that agree}}
%x = hip.multiplying %acc, %h, %h {instruction = "Mfma16x16x16"} : (!hip.held<tensor<16x16xf32, #sums>, 1>, !hip.held<tensor<16x32xbf16, #rows>, 1>, !hip.held<tensor<16x32xbf16, #rows>, 1>) -> !hip.activity

// -----

%n = "any.values"() : () -> (index)
// expected-error @below {{'hip.steps' op has 0 slots, expected at least 1}}
hip.steps %n slots 0 {
^bb0(%slot: index, %step: index):
}

// -----

%n = "any.values"() : () -> (index)
// expected-error-re @below {{'hip.steps' op has a body with 'index', expected two indices: a slot and a step}}
hip.steps %n slots 2 {
^bb0(%slot: index):
}

// -----

%v, %i = "any.values"() : () -> (!hip.view<f32, 2>, index)
// expected-error-re @below {{'hip.direct_feed' op feeds '!hip.shared<{{.*}}>' from '!hip.view<f32, 2>' at 2 coordinates, expected two dimensions and one element type}}
%f = hip.direct_feed %v, %i, %i {wave_bits = 2 : i64} : (!hip.view<f32, 2>, index, index) -> !hip.direct_feed<<bf16, [64, 32], <8, 2, 4>>>

// -----

%v, %i = "any.values"() : () -> (!hip.view<bf16, 2>, index)
// expected-error-re @below {{'hip.direct_feed' op fills '!hip.shared<{{.*}}>', expected a swizzle that keeps 16 bytes together}}
%f = hip.direct_feed %v, %i, %i {wave_bits = 2 : i64} : (!hip.view<bf16, 2>, index, index) -> !hip.direct_feed<<bf16, [64, 32], <4, 2, 4>>>

// -----

hip.kernel @k attributes {restricted = array<i1: false>, shared_bytes = 4160 : i64, sources = array<i64: 0>, threads = 512 : i64} {
^bb0(%context: !hip.context):
  %v, %i = "any.values"() : () -> (!hip.view<bf16, 2>, index)
  // expected-error @below {{'hip.direct_feed' op fills 4096 bytes by 512 threads, expected a multiple of 16 bytes for each}}
  %f = hip.direct_feed %v, %i, %i {wave_bits = 3 : i64} : (!hip.view<bf16, 2>, index, index) -> !hip.direct_feed<<bf16, [64, 32], <8, 2, 4>>>
}

// -----

// expected-error @below {{'hip.await_copies' op leaves 64 accesses in flight, expected 0 to 63, which a wave can count}}
hip.await_copies {left = 64 : i64} : () -> ()

// -----

%s, %f, %i = "any.values"() : () -> (!hip.slot<<bf16, [32, 32], <8, 2, 4>>>, !hip.direct_feed<<bf16, [64, 32], <8, 2, 4>>>, index)
// expected-error-re @below {{'hip.copying' op fills '!hip.slot<{{.*}}>' from '!hip.direct_feed<{{.*}}>', expected one LDS tile}}
%x = hip.copying %s, %f, %i : (!hip.slot<<bf16, [32, 32], <8, 2, 4>>>, !hip.direct_feed<<bf16, [64, 32], <8, 2, 4>>>, index) -> !hip.activity

// -----

%v, %s, %i = "any.values"() : () -> (!hip.view<bf16, 2>, !hip.slot<<bf16, [64, 32], <8, 2, 4>>>, index)
%f = hip.direct_feed %v, %i, %i {halved, wave_bits = 2 : i64} : (!hip.view<bf16, 2>, index, index) -> !hip.direct_feed<<bf16, [64, 32], <8, 2, 4>>>
// expected-error @below {{'hip.copying' op has a halved feed, expected it in a 'hip.by_halves'}}
%x = hip.copying %s, %f, %i : (!hip.slot<<bf16, [64, 32], <8, 2, 4>>>, !hip.direct_feed<<bf16, [64, 32], <8, 2, 4>>>, index) -> !hip.activity
hip.in_order %x : (!hip.activity) -> ()

// -----

%v, %s, %i = "any.values"() : () -> (!hip.view<bf16, 2>, !hip.slot<<bf16, [64, 32], <8, 2, 4>>>, index)
%f = hip.direct_feed %v, %i, %i {wave_bits = 2 : i64} : (!hip.view<bf16, 2>, index, index) -> !hip.direct_feed<<bf16, [64, 32], <8, 2, 4>>>
%x = hip.copying %s, %f, %i : (!hip.slot<<bf16, [64, 32], <8, 2, 4>>>, !hip.direct_feed<<bf16, [64, 32], <8, 2, 4>>>, index) -> !hip.activity
// expected-error @below {{'hip.by_halves' op shares out what is no copy of a halved feed, expected a 'hip.copying' of one}}
%h = hip.by_halves %x, %x : (!hip.activity, !hip.activity) -> !hip.activity

// -----

%v, %s, %t, %i = "any.values"() : () -> (!hip.view<bf16, 2>, !hip.slot<<bf16, [64, 32], <8, 2, 4>>>, !hip.slot<<bf16, [128, 32], <8, 2, 4>>>, index)
%f = hip.direct_feed %v, %i, %i {halved, wave_bits = 2 : i64} : (!hip.view<bf16, 2>, index, index) -> !hip.direct_feed<<bf16, [64, 32], <8, 2, 4>>>
%g = hip.direct_feed %v, %i, %i {halved, wave_bits = 2 : i64} : (!hip.view<bf16, 2>, index, index) -> !hip.direct_feed<<bf16, [128, 32], <8, 2, 4>>>
%x = hip.copying %s, %f, %i : (!hip.slot<<bf16, [64, 32], <8, 2, 4>>>, !hip.direct_feed<<bf16, [64, 32], <8, 2, 4>>>, index) -> !hip.activity
%y = hip.copying %t, %g, %i : (!hip.slot<<bf16, [128, 32], <8, 2, 4>>>, !hip.direct_feed<<bf16, [128, 32], <8, 2, 4>>>, index) -> !hip.activity
// expected-error @below {{'hip.by_halves' op has copies of 4096 and 8192 bytes, expected as many}}
%h = hip.by_halves %x, %y : (!hip.activity, !hip.activity) -> !hip.activity

// -----

%s, %f, %i = "any.values"() : () -> (!hip.slot<<bf16, [32, 32], <8, 2, 4>>>, !hip.direct_feed<<bf16, [32, 32], <8, 2, 4>>>, index)
// expected-error @below {{'hip.copying' op is 'read_once' and threads make its copies, expected a 'hip.mapped_feed'}}
%x = hip.copying %s, %f, %i {read_once} : (!hip.slot<<bf16, [32, 32], <8, 2, 4>>>, !hip.direct_feed<<bf16, [32, 32], <8, 2, 4>>>, index) -> !hip.activity

// -----

hip.kernel @k attributes {restricted = array<i1>, shared_bytes = 64 : i64, sources = array<i64>, threads = 512 : i64} {
  %n = arith.constant 4 : index
  // expected-error @below {{'hip.steps' op alternates halves of 256 threads, expected those of the kernel, 512}}
  hip.steps %n slots 2 alternating 256 {
  ^bb0(%slot: index, %step: index):
  }
}

// -----

// expected-error @below {{'hip.priority' op has level 4, expected 0 to 3}}
hip.priority {level = 4 : i64} : () -> ()

// -----

%s, %f, %i = "any.values"() : () -> (!hip.slot<<bf16, [32, 64], <8, 1, 8>>>, !hip.direct_feed<<bf16, [32, 64], <8, 1, 8>>>, index)
// expected-error @below {{'hip.copying' op fills '!hip.slot<<bf16, [32, 64], <8, 1, 8>>>' from '!hip.direct_feed<<bf16, [32, 64], <8, 1, 8>>>', expected one of half as many rows}}
%x = hip.copying %s, %f, %i {halved} : (!hip.slot<<bf16, [32, 64], <8, 1, 8>>>, !hip.direct_feed<<bf16, [32, 64], <8, 1, 8>>>, index) -> !hip.activity

// -----

%s, %f, %i = "any.values"() : () -> (!hip.slot<<bf16, [32, 64], <8, 1, 8>>>, !hip.direct_feed<<bf16, [16, 64], <8, 1, 8>>>, index)
// expected-error @below {{'hip.copying' op copies half of a tile, expected a 'hip.mapped_feed' along the rows of a matrix, and one panel}}
%x = hip.copying %s, %f, %i {halved} : (!hip.slot<<bf16, [32, 64], <8, 1, 8>>>, !hip.direct_feed<<bf16, [16, 64], <8, 1, 8>>>, index) -> !hip.activity
