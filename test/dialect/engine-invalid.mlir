// What the copy engine moves, in both dialects: shapes that do not fit are refused where they stand.
// RUN: tilec-opt %s -split-input-file -verify-diagnostics

tile.program @rows(%a: memref<8x64x64x64xf32>, %c: memref<8x64x64x64xf32, #tile.symmetric>) {
  %zero = arith.constant 0 : index
  tile.kernel @k attributes {engine} {
    tile.role @send on 1 workgroups attributes {engine} {
      // expected-error @below {{moves 'memref<8x64x64x64xf32>' to 'memref<8x64x64x64xf32, #tile.symmetric>', expected two views of one to three dimensions and the same elements}}
      %t = tile.move %a -> %c[%zero, %zero, %zero, %zero] tile [1, 1, 64, 64] parts %zero to %zero : memref<8x64x64x64xf32>, memref<8x64x64x64xf32, #tile.symmetric>
    }
  }
}

// -----

tile.program @indices(%a: memref<64x64xf32>, %c: memref<64x64xf32, #tile.symmetric>) {
  %zero = arith.constant 0 : index
  tile.kernel @k attributes {engine} {
    tile.role @send on 1 workgroups attributes {engine} {
      // expected-error @below {{has 1 indices and a tile of 2 dimensions, expected 2 as in 'memref<64x64xf32>'}}
      %t = tile.move %a -> %c[%zero] tile [64, 64] parts %zero to %zero : memref<64x64xf32>, memref<64x64xf32, #tile.symmetric>
    }
  }
}

// -----

tile.program @workgroups(%a: memref<64xf32>, %c: memref<64xf32, #tile.symmetric>) {
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @send {
      // expected-error @below {{stands in a role of workgroups, expected one of the copy engine}}
      %t = tile.move %a -> %c[%zero] tile [64] parts %zero to %zero : memref<64xf32>, memref<64xf32, #tile.symmetric>
    }
  }
}

// -----

tile.program @threads(%a: memref<64x64xf32>, %c: memref<64x64xf32, #tile.symmetric>) {
  %s = tile.signals [2] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @k attributes {engine} {
    // expected-error @below {{stands in a kernel of the copy engine, expected a role of the engine}}
    tile.role @first first { tile.signal system %s[%zero] to %zero : !tile.signals<1> }
  }
  tile.kernel @beside { tile.role @last last { } }
}

// -----

tile.program @loads(%a: memref<64x64xf32>, %c: memref<64x64xf32, #tile.symmetric>) {
  %zero = arith.constant 0 : index
  tile.kernel @k attributes {engine} {
    tile.role @send on 1 workgroups attributes {engine} {
      tile.forall (%i) in [2] {
        // expected-error @below {{stands in a kernel of the copy engine, expected 'tile.move' there, which 'partition' makes of the roles of the engine in other kernels}}
        %t = tile.load %a[%i, %zero] tile [32, 64] : memref<64x64xf32> -> tensor<32x64xf32>
        tile.store %t, %c[%i, %zero] to %zero : tensor<32x64xf32>, memref<64x64xf32, #tile.symmetric>
      }
    }
  }
  tile.kernel @beside { tile.role @last last { } }
}

// -----

tile.program @nothing_beside(%a: memref<64x64xf32>, %c: memref<64x64xf32, #tile.symmetric>) {
  // expected-error @below {{is the copy engine's, expected the kernel that it copies beside behind it}}
  tile.kernel @k attributes {engine} {
    tile.role @send on 1 workgroups attributes {engine} { }
  }
}

// -----

// expected-error @below {{says of 0 arguments where they come from, expected 1}}
hip.engine @k_copies attributes {sources = array<i64>} {
^bb0(%copies: !hip.context):
}

// -----

// expected-error @below {{does not begin with its copies, expected them as the first argument}}
hip.engine @k_copies attributes {sources = array<i64: 1>} {
^bb0(%a: !hip.pointer<f32, true>):
}

// -----

hip.engine @k_copies attributes {sources = array<i64: 0, 1, 2>} {
^bb0(%copies: !hip.context, %a: !hip.pointer<f32, true>, %c: !hip.pointer<bf16, false>):
  %n = arith.constant 8 : index
  %from = "hip.view"(%a, %n, %n) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!hip.pointer<f32, true>, index, index) -> !hip.view<f32, 1>
  %into = "hip.view"(%c, %n, %n) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!hip.pointer<bf16, false>, index, index) -> !hip.view<bf16, 1>
  // expected-error @below {{moves '!hip.view<f32, 1>' to '!hip.view<bf16, 1>', expected two views of one to three dimensions and the same elements}}
  "hip.move"(%copies, %from, %n, %n, %into) {tile_columns = 8 : i64} : (!hip.context, !hip.view<f32, 1>, index, index, !hip.view<bf16, 1>) -> ()
}

// -----

hip.engine @k_copies attributes {sources = array<i64: 0, 1>} {
^bb0(%copies: !hip.context, %a: !hip.pointer<f32, false>):
  %n = arith.constant 8 : index
  %view = "hip.view"(%a, %n, %n) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!hip.pointer<f32, false>, index, index) -> !hip.view<f32, 1>
  // expected-error @below {{of '!hip.view<f32, 1>' says how many rows there are, expected 1 or more rows of a matrix, of several also planes, and none of a row, in tiles of 1 or more columns}}
  "hip.move"(%copies, %view, %n, %n, %view) {rows = 4 : i64, tile_columns = 8 : i64} : (!hip.context, !hip.view<f32, 1>, index, index, !hip.view<f32, 1>) -> ()
}

// -----

hip.engine @k_copies attributes {sources = array<i64: 0, 1>} {
^bb0(%copies: !hip.context, %a: !hip.pointer<f32, false>):
  %n = arith.constant 8 : index
  %view = "hip.view"(%a, %n, %n) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!hip.pointer<f32, false>, index, index) -> !hip.view<f32, 1>
  // expected-error @below {{has 2 coordinates, expected 1 as in '!hip.view<f32, 1>'}}
  "hip.move"(%copies, %view, %n, %n, %n, %view) {tile_columns = 8 : i64} : (!hip.context, !hip.view<f32, 1>, index, index, index, !hip.view<f32, 1>) -> ()
}

// -----

hip.engine @k_copies attributes {sources = array<i64: 0, 1>} {
^bb0(%copies: !hip.context, %a: !hip.pointer<f32, false>):
  %n = arith.constant 8 : index
  %view = "hip.view"(%a, %n, %n, %n, %n) {operandSegmentSizes = array<i32: 1, 2, 2>} : (!hip.pointer<f32, false>, index, index, index, index) -> !hip.view<f32, 2>
  // expected-error @below {{moves 3000000000 rows, expected as many as 32 bits count}}
  "hip.move"(%copies, %view, %n, %n, %n, %view) {rows = 3000000000 : i64, tile_columns = 8 : i64} : (!hip.context, !hip.view<f32, 2>, index, index, index, !hip.view<f32, 2>) -> ()
}

// -----

// Words that count are those of tasks, and the engine takes them.
tile.program @waits(%a: memref<64x64xf32>) {
  %zero = arith.constant 0 : index
  %s = tile.signals [4] counted : !tile.signals<1>
  tile.kernel @k {
    tile.role @r {
      // expected-error @below {{names a grid that is 'counted', expected 'tile.take_counted' by the copy engine}}
      // expected-note @-4 {{the grid is declared here}}
      %t = tile.wait system %s[%zero] : !tile.signals<1>
    }
  }
}

// -----

tile.program @arrives(%a: memref<64x64xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{the grid is declared here}}
  %s = tile.signals [4] counted : !tile.signals<1>
  tile.kernel @k {
    tile.role @r {
      // expected-error @below {{names a grid that is 'counted', expected 'tile.signal': nobody asks which task is the last}}
      %last, %t = tile.arrive %s[%zero] of %one : !tile.signals<1>
    }
  }
}

// -----

tile.program @tells(%a: memref<64x64xf32>) {
  %zero = arith.constant 0 : index
  %s = tile.signals [4] counted : !tile.signals<1>
  tile.kernel @k {
    tile.role @r {
      // expected-error @below {{counts in a word that another rank or the copy engine itself would take, expected a signal of a task to its own rank, 'tile.rank'}}
      tile.signal system %s[%zero] to %zero : !tile.signals<1>
    }
  }
}

// -----

tile.program @takes(%a: memref<64x64xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %s = tile.signals [4] counted : !tile.signals<1>
  tile.kernel @k {
    tile.role @r {
      // expected-error @below {{stands in a role of workgroups, expected one of the copy engine}}
      %t = tile.take_counted %s[%zero] of %one : !tile.signals<1>
    }
  }
}

// -----

tile.program @plain(%a: memref<64x64xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{the grid is declared here}}
  %s = tile.signals [4] : !tile.signals<1>
  tile.kernel @k attributes {engine} {
    tile.role @r on 1 workgroups attributes {engine} {
      // expected-error @below {{names a grid that is not 'counted', expected 'counted' where it is declared}}
      %t = tile.take_counted %s[%zero] of %one : !tile.signals<1>
    }
  }
}

// -----

tile.program @none(%a: memref<64x64xf32>) {
  %zero = arith.constant 0 : index
  %s = tile.signals [4] counted : !tile.signals<1>
  tile.kernel @k attributes {engine} {
    tile.role @r on 1 workgroups attributes {engine} {
      // expected-error @below {{takes 0 signals, expected at least 1}}
      %t = tile.take_counted %s[%zero] of %zero : !tile.signals<1>
    }
  }
}

// -----

tile.program @both(%a: memref<64x64xf32>) {
  // expected-error @below {{is 'counted' and a 'handshake', expected one of these: peers tell, and tasks of this rank count}}
  %s = tile.signals [4] handshake done counted : !tile.signals<1>
}

// -----

hip.engine @k_copies attributes {sources = array<i64: 0, 1>} {
^bb0(%copies: !hip.context, %a: !hip.pointer<f32, false>):
  %n = arith.constant 8 : index
  %view = "hip.view"(%a, %n, %n) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!hip.pointer<f32, false>, index, index) -> !hip.view<f32, 1>
  // expected-error @below {{of '!hip.view<f32, 1>' says how many rows there are, and planes, expected 1 or more rows of a matrix}}
  "hip.move"(%copies, %view, %n, %n, %view) {planes = 4 : i64, rows = 4 : i64, tile_columns = 8 : i64} : (!hip.context, !hip.view<f32, 1>, index, index, !hip.view<f32, 1>) -> ()
}
