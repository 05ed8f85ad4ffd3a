// Of a loop that reads a panel of scratch, tile beside tile, four iterations of a stretch are run: those between them read
// what lies between. What is wrong there is found as before.
// RUN: tilec-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-specialize,tile-verify{budget=30000}))'
// RUN: not tilec-opt %s --split-input-file --pass-pipeline='builtin.module(tile.program(tile-specialize,tile-verify{budget=30000}))' 2>/dev/null | FileCheck %s

// A hundred thousand reads, a wait in every fiftieth iteration, and places that a minimum clamps in the last three.
// CHECK-LABEL: tile.program @waits_now_and_then
// CHECK-SAME: verified = #tile.verified<launches = 3, samples = {{\[\[\]\]}}>
tile.program @waits_now_and_then(%b: memref<8xf32>) world 1 {
  %x = tile.alloc [800000] : memref<800000xf32>
  %done = tile.signals [2000] : !tile.signals<1>
  %rank = tile.rank
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c50 = arith.constant 50 : index
  %many = arith.constant 100000 : index
  %words = arith.constant 2000 : index
  %last = arith.constant 99999 : index
  tile.kernel @k {
    tile.role @write {
      tile.forall (%i) in [2000] {
        %panel = tile.splat 0.0 [400] : tensor<400xf32>
        %s = tile.store %panel, %x[%i] : tensor<400xf32>, memref<800000xf32> -> !tile.token
        tile.signal agent %done[%i] to %rank publishes %s : !tile.signals<1>
      }
    }
    tile.role @read {
      tile.forall (%i) in [1] {
        %zero = tile.splat 0.0 [8] : tensor<8xf32>
        %all = tile.wait agent %done[%c0] count[%words] : !tile.signals<1>
        %none = tile.join()
        %sum, %heard = scf.for %k = %c0 to %many step %c1 iter_args(%so_far = %zero, %before = %none) -> (tensor<8xf32>, !tile.token) {
          %rest = arith.remsi %k, %c50 : index
          %isFirst = arith.cmpi eq, %rest, %c0 : index
          %now = scf.if %isFirst -> !tile.token {
            %word = arith.divsi %k, %c50 : index
            %w = tile.wait agent %done[%word] : !tile.signals<1>
            scf.yield %w : !tile.token
          } else {
            scf.yield %before : !tile.token
          }
          %t = tile.load %x[%k] tile [8] after %now : memref<800000xf32> -> tensor<8xf32>
          %far = arith.addi %k, %c3 : index
          %ahead = arith.minsi %far, %last : index
          %u = tile.load %x[%ahead] tile [8] after %all : memref<800000xf32> -> tensor<8xf32>
          %v = arith.addf %t, %u : tensor<8xf32>
          %y = arith.addf %so_far, %v : tensor<8xf32>
          scf.yield %y, %now : tensor<8xf32>, !tile.token
        }
        tile.store %sum, %b[%c0] : tensor<8xf32>, memref<8xf32>
      }
    }
  }
}

// -----

// One tile in the middle is written by nobody.
tile.program @hole(%b: memref<8xf32>) world 1 {
  // expected-note @below {{scratch is undefined at the start of every launch}}
  %x = tile.alloc [8000] : memref<8000xf32>
  %done = tile.signals [2] : !tile.signals<1>
  %rank = tile.rank
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4008 : index
  %many = arith.constant 1000 : index
  tile.kernel @k {
    tile.role @write {
      tile.forall (%i) in [1] {
        %half = tile.splat 0.0 [4000] : tensor<4000xf32>
        %rest = tile.splat 0.0 [3992] : tensor<3992xf32>
        %s = tile.store %half, %x at (%c0) : tensor<4000xf32>, memref<8000xf32> -> !tile.token
        %r = tile.store %rest, %x at (%c4) : tensor<3992xf32>, memref<8000xf32> -> !tile.token
        tile.signal agent %done[%c0] to %rank publishes %s, %r : !tile.signals<1>
      }
    }
    tile.role @read {
      tile.forall (%i) in [1] {
        %zero = tile.splat 0.0 [8] : tensor<8xf32>
        %w = tile.wait agent %done[%c0] : !tile.signals<1>
        %sum = scf.for %k = %c0 to %many step %c1 iter_args(%so_far = %zero) -> tensor<8xf32> {
          // expected-error @below {{reads element [4000] of scratch on rank 0, by task (0) of role @read on rank 0, which no store of the launch writes}}
          %t = tile.load %x[%k] tile [8] after %w : memref<8000xf32> -> tensor<8xf32>
          %y = arith.addf %so_far, %t : tensor<8xf32>
          scf.yield %y : tensor<8xf32>
        }
        tile.store %sum, %b[%c0] : tensor<8xf32>, memref<8xf32>
      }
    }
  }
}

// -----

// The iterations behind the fortieth ask for another word than that of their tiles.
tile.program @stale(%b: memref<8xf32>) world 1 {
  %x = tile.alloc [800] : memref<800xf32>
  %done = tile.signals [2] : !tile.signals<1>
  %rank = tile.rank
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 100 : index
  tile.kernel @k {
    tile.role @write {
      tile.forall (%i) in [2] {
        %part = tile.splat 0.0 [400] : tensor<400xf32>
        // expected-note @below {{the write is here}}
        %s = tile.store %part, %x[%i] : tensor<400xf32>, memref<800xf32> -> !tile.token
        // expected-note @below {{the signal is here}}
        tile.signal agent %done[%i] to %rank publishes %s : !tile.signals<1>
      }
    }
    tile.role @read {
      tile.forall (%i) in [1] {
        %zero = tile.splat 0.0 [8] : tensor<8xf32>
        %w = tile.wait agent %done[%c0] : !tile.signals<1>
        %sum = scf.for %k = %c0 to %many step %c1 iter_args(%so_far = %zero) -> tensor<8xf32> {
          // expected-error @below {{data race: read of element [400] of a buffer on rank 0}}
          %t = tile.load %x[%k] tile [8] after %w : memref<800xf32> -> tensor<8xf32>
          %y = arith.addf %so_far, %t : tensor<8xf32>
          scf.yield %y : tensor<8xf32>
        }
        tile.store %sum, %b[%c0] : tensor<8xf32>, memref<8xf32>
      }
    }
  }
}

// -----

// A number that only iterations in the middle make too large: the square of the distance from them is small at the ends.
tile.program @middle(%b: memref<8xf32>) world 1 {
  %x = tile.alloc [800] : memref<800xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c98 = arith.constant 98 : index
  %large = arith.constant 1000000 : index
  %many = arith.constant 100 : index
  tile.kernel @write {
    tile.role @write {
      tile.forall (%i) in [1] {
        %part = tile.splat 0.0 [800] : tensor<800xf32>
        tile.store %part, %x[%i] : tensor<800xf32>, memref<800xf32>
      }
    }
  }
  tile.kernel @read {
    tile.role @read {
      tile.forall (%i) in [1] {
        %zero = tile.splat 0.0 [8] : tensor<8xf32>
        %sum = scf.for %k = %c0 to %many step %c1 iter_args(%so_far = %zero) -> tensor<8xf32> {
          %left = arith.subi %c98, %k : index
          %product = arith.muli %k, %left : index
          // expected-error @below {{computes 2176000000, in task (0)}}
          %far = arith.muli %product, %large : index
          %t = tile.load %x[%k] tile [8] : memref<800xf32> -> tensor<8xf32>
          %y = arith.addf %so_far, %t : tensor<8xf32>
          scf.yield %y : tensor<8xf32>
        }
        tile.store %sum, %b[%c0] : tensor<8xf32>, memref<8xf32>
      }
    }
  }
}
