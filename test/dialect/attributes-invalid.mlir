// RUN: tilec-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{basis has 1 coordinates, expected 2}}
"tile.x"() {layout = #tile.layout<registers = [[0, 1]], lanes = [[1]], waves = []>} : () -> ()

// -----

// expected-error @below {{number of chiplets is 0, expected at least 1}}
"tile.x"() {order = #tile.remap<0>} : () -> ()

// -----

// expected-error @below {{chunk is 0, expected at least 1}}
"tile.x"() {order = #tile.chunked<8, 0>} : () -> ()

// -----

// expected-error @below {{height of a group is -1, expected at least 1}}
"tile.x"() {order = #tile.grouped<-1>} : () -> ()

// -----

// The text computes the place of a task as an int: a window of 2147483647 rows left tiles unwritten.
// expected-error @below {{height of a group is 2147483647, expected at most 1024}}
"tile.x"() {order = #tile.grouped<2147483647>} : () -> ()

// -----

// expected-error @below {{chunk is 2147483647, expected at most 1024}}
"tile.x"() {order = #tile.chunked<8, 2147483647>} : () -> ()

// -----

// expected-error @below {{swizzle of 3, expected powers of two}}
"tile.x"() {space = #tile.shared<3, 1, 1>} : () -> ()

// -----

// expected-error @below {{dimension -1, expected 0 or more}}
"tile.x"() {order = #tile.rank_first<-1>} : () -> ()

// -----

// expected-error @below {{starts 2 ranks ahead, expected 0 or 1}}
"tile.x"() {order = #tile.rank_first<0, ahead = 2>} : () -> ()

// -----

// expected-error @below {{order is no function of the task number: expected a map of one dimension}}
"tile.x"() {order = #tile.mapped<(d0, d1) -> (d0)>} : () -> ()

// -----

// expected-error @below {{has 20 and 232 registers a lane, expected multiples of 8 from 24 to 256, or 0 and 0}}
"tile.x"() {producer = #tile.producer<waves = 4, registers = 20, consumers = 232>} : () -> ()

// -----

// expected-error @below {{number of producing waves is 0, expected at least 1}}
"tile.x"() {producer = #tile.producer<waves = 0, registers = 0, consumers = 0>} : () -> ()

// -----

// expected-error @below {{schedule: unknown key 'wave', expected waves, slots, depth, instruction, dealing, split, swapped, behind, halves or pairs; did you mean 'waves'?}}
"tile.x"() {schedule = #tile.schedule<wave = 4>} : () -> ()

// -----

// expected-error @below {{schedule: '6' for 'waves', expected a power of two from 1 to 4096}}
"tile.x"() {schedule = #tile.schedule<waves = 6>} : () -> ()

// -----

// expected-error @below {{schedule: key 'slots' is given twice}}
"tile.x"() {schedule = #tile.schedule<slots = 4, chosen slots = 2>} : () -> ()

// -----

// expected-error @below {{schedule: 'drawn' for 'dealing', expected ticketed or strided}}
"tile.x"() {schedule = #tile.schedule<dealing = drawn>} : () -> ()
