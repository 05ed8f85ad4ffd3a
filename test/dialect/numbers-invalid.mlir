// RUN: tilec-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{custom op 'tile.program' argument must be a memref or a number of f32, f64, i32 or i64, got 'bf16'}}
tile.program @narrow(%alpha: bf16) {}

// -----

// expected-error @below {{custom op 'tile.program' expected extents for each dimension of 'f32', the type of '%alpha', got 1}}
tile.program @shape<%M>(%alpha: f32) extents [%alpha: %M] {}

// -----

// expected-error @below {{indices in an argument of type 'i64', expected one of i32}}
tile.program @indices<%M>(%n: i64) indices [%n: %M] {}

// -----

// expected-note @below {{the argument is declared here}}
tile.program @index<%M>(%n: i32, %a: memref<?xf32>) extents [%a: %M] {
  %c1 = arith.constant 1 : i32
  %next = arith.addi %n, %c1 : i32
  tile.forall () in [] {
    // expected-error @below {{'arith.index_cast' op index depends on '%n', which a launch gives and nothing bounds, expected the result of a 'tile.clamp' of it}}
    %i = arith.index_cast %next : i32 to index
    %t = tile.load %a at (%i) tile [8] : memref<?xf32> -> tensor<8xf32>
  }
}

// -----

// expected-note @below {{the argument is declared here}}
tile.program @bound<%M>(%n: i32, %a: memref<?xf32>) extents [%a: %M] {
  tile.forall () in [] {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = tile.splat 0.0 [8] : tensor<8xf32>
    // expected-error @below {{'scf.for' op bound of a loop depends on '%n', which a launch gives and nothing bounds, expected the result of a 'tile.clamp' of it}}
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> tensor<8xf32> : i32 {
      scf.yield %sum : tensor<8xf32>
    }
  }
}

// -----

// What a loop carries depends on what it begins with.
// expected-note @below {{the argument is declared here}}
tile.program @condition(%alpha: f32, %a: memref<8xf32>) {
  tile.forall () in [] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %half = arith.constant 0.5 : f32
    %power = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %alpha) -> f32 {
      %next = arith.mulf %p, %half : f32
      scf.yield %next : f32
    }
    %small = arith.cmpf olt, %power, %half : f32
    // expected-error @below {{'scf.if' op condition depends on '%alpha', which a launch gives and nothing bounds, expected an integer in a 'tile.clamp'}}
    scf.if %small {
      %t = tile.splat %power [8] : tensor<8xf32>
      tile.store %t, %a[%c0] : tensor<8xf32>, memref<8xf32>
    }
  }
}
