// RUN: split-file %s %t
// RUN: not tilec-opt %t/plain.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2 extents=M}))' 2>&1 | FileCheck %s --check-prefix=BINDING
// RUN: not tilec-opt %t/plain.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize))' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tilec-opt %t/plain.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=-2}))' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not tilec-opt %t/world.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2}))' 2>&1 | FileCheck %s --check-prefix=WORLD
// RUN: not tilec-opt %t/plain.mlir --keep-names --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2 extents=M=-1}))' 2>&1 | FileCheck %s --check-prefix=EXTENT
// RUN: not tilec-opt %t/plain.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2 parameters=BN=64}))' 2>&1 | FileCheck %s --check-prefix=PARAMETER
// RUN: not tilec-opt %t/plain.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2 parameters=BM=16}))' 2>&1 | FileCheck %s --check-prefix=CHOICE

// BINDING: for the --extents option: 'M', expected NAME=VALUE with an integer value
// UNKNOWN: error: world is not known: write 'world N' in the program or give --world N
// NEGATIVE: error: world of -2 ranks, expected at least 1
// WORLD: error: program is for a world of 4 ranks, got world 2
// EXTENT: error: extent 'M' is -1, expected 0 or more
// PARAMETER: error: unknown parameter 'BN'
// CHOICE: error: expected 32 or 64 for parameter 'BM', got 16
// CHOICE: note: the choices are declared here

//--- plain.mlir
tile.program @plain<%M>() {
  tile.param @BM in [32, 64]
}

//--- world.mlir
tile.program @world() world 4 {}
