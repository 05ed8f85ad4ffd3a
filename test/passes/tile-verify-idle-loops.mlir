// A loop that only reads what nobody writes is not run iteration by iteration: intervals show that none of its checks
// fails. Where one does fail, in whichever iteration, it is found as before.
// RUN: tilec-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-specialize,tile-verify))'
// RUN: not tilec-opt %s --split-input-file --pass-pipeline='builtin.module(tile.program(tile-specialize,tile-verify))' 2>/dev/null | FileCheck %s

// A billion iterations, which would take minutes.
// CHECK-LABEL: tile.program @long
// CHECK-SAME: verified = #tile.verified<launches = 3, samples = {{\[\[\]\]}}>
tile.program @long(%a: memref<64x8xf32>, %b: memref<64x8xf32>) world 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %many = arith.constant 1000000000 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [8] {
        %zero = tile.splat 0.0 [8, 8] : tensor<8x8xf32>
        %sum, %odd = scf.for %k = %c0 to %many step %c1 iter_args(%so_far = %zero, %turn = %c0) -> (tensor<8x8xf32>, index) {
          %row = arith.addi %k, %turn : index
          %half = scf.for %j = %c0 to %c3 step %c1 iter_args(%x = %so_far) -> tensor<8x8xf32> {
            %at = arith.subi %row, %j : index
            %t = tile.load %a at (%at, %c0) tile [8, 8] : memref<64x8xf32> -> tensor<8x8xf32>
            %y = arith.addf %x, %t : tensor<8x8xf32>
            scf.yield %y : tensor<8x8xf32>
          }
          %next = arith.subi %c1, %turn : index
          scf.yield %half, %next : tensor<8x8xf32>, index
        }
        tile.store %sum, %b[%i, %c0] : tensor<8x8xf32>, memref<64x8xf32>
      }
    }
  }
}

// -----

// The last iteration alone leaves the buffer.
tile.program @last(%a: memref<64xf32>, %b: memref<64xf32>) world 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c8 = arith.constant 8 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [8] {
        %zero = tile.splat 0.0 [8] : tensor<8xf32>
        %sum = scf.for %k = %c0 to %c9 step %c1 iter_args(%so_far = %zero) -> tensor<8xf32> {
          %first = arith.muli %k, %c8 : index
          %view = memref.subview %a[%first] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
          // expected-error @below {{view reaches element 71 in dimension 0 of a buffer of size 64}}
          %t = tile.load %view[%c0] tile [8] : memref<8xf32, strided<[1], offset: ?>> -> tensor<8xf32>
          %y = arith.addf %so_far, %t : tensor<8xf32>
          scf.yield %y : tensor<8xf32>
        }
        tile.store %sum, %b[%i] : tensor<8xf32>, memref<64xf32>
      }
    }
  }
}

// -----

// The last iteration alone computes more than 32 bits.
tile.program @wide(%a: memref<64xf32>, %b: memref<64xf32>) world 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %big = arith.constant 1000000000 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [8] {
        %zero = tile.splat 0.0 [8] : tensor<8xf32>
        %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%so_far = %zero) -> tensor<8xf32> {
          // expected-error @below {{computes 3000000000}}
          %first = arith.muli %k, %big : index
          %t = tile.load %a at (%first) tile [8] : memref<64xf32> -> tensor<8xf32>
          %y = arith.addf %so_far, %t : tensor<8xf32>
          scf.yield %y : tensor<8xf32>
        }
        tile.store %sum, %b[%i] : tensor<8xf32>, memref<64xf32>
      }
    }
  }
}
