// RUN: not tilec run %s --world 1 --no-verify 2>&1 | FileCheck %s

// CHECK: error: 'tile.clamp' op takes a number up to -1, expected 0 or more
tile.program @less(%n: i32, %x: memref<64xf32>) {
  tile.forall () in [] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %below = arith.constant -1 : index
    %rows = tile.clamp %n upto %below : i32
    %t = tile.splat 1.0 [64] : tensor<64xf32>
    scf.for %i = %c0 to %rows step %c1 {
      tile.store %t, %x[%c0] : tensor<64xf32>, memref<64xf32>
    }
  }
}
