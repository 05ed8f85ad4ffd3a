// Iris example 09: the flag for the tile's owner is raised with a release, but with no barrier of the workgroup between store and
// flag, so that it covers the stores of one wave. Measured: 80 to 100 % of epochs stale.
// RUN: %broken > %t.mlir && not tilec verify %t.mlir 2>&1 | FileCheck %s
// RUN: tilec verify %s
// RUN: tilec run %s %adversarial
// The form itself is invalid, so that its text is made by hand from the repaired one.
// RUN: tilec %s --emit hip | %signals_by_wave > %t.hip
// RUN: not tilec run %s --text %t.hip %adversarial 2>&1 | FileCheck %s --check-prefix=EMULATED
// CHECK: error: 'tile.signal' op by wave would be raised before the other waves have stored, expected a kernel with 'waves = 1'
// CHECK: note: the kernel has 4 waves
// EMULATED: race: {{.*}} bytes of %partial
tile.program @reduce(%a: memref<256x32xf32>, %b: memref<64x32xf32>, %c: memref<128x64xf32>) world 2 {
  %partial = tile.alloc [256, 64] {copies = 2} : memref<256x64xf32, #tile.symmetric>
  %completed = tile.signals [2, 4] : !tile.signals<2>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %rank = tile.rank
  tile.kernel @k attributes {waves = 4} {
    tile.role @multiply {
      tile.forall (%m) in [4] {
        %nothing = arith.constant dense<0.0> : tensor<64x64xf32>
        %x = tile.load %a[%m, %zero] tile [64, 32] : memref<256x32xf32> -> tensor<64x32xf32>
        %y = tile.load %b[%zero, %zero] tile [64, 32] : memref<64x32xf32> -> tensor<64x32xf32>
        %product = tile.dot %x, transpose %y, %nothing : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x64xf32>
        %stored = tile.store %product, %partial[%m, %zero] : tensor<64x64xf32>, memref<256x64xf32, #tile.symmetric> -> !tile.token
        %owner = arith.remui %m, %two : index
        tile.signal system %completed[%rank, %m] to %owner publishes %stored : !tile.signals<2> // repaired
        // broken: tile.signal system by wave %completed[%rank, %m] to %owner publishes %stored : !tile.signals<2>
      }
    }
    tile.role @reduce {
      tile.forall (%i) in [2] {
        %first = arith.muli %i, %two : index
        %m = arith.addi %first, %rank : index
        %all = tile.wait system %completed[%zero, %m] count [%two, %one] : !tile.signals<2>
        %x = tile.load %partial[%m, %zero] tile [64, 64] from %zero after %all : memref<256x64xf32, #tile.symmetric> -> tensor<64x64xf32>
        %y = tile.load %partial[%m, %zero] tile [64, 64] from %one after %all : memref<256x64xf32, #tile.symmetric> -> tensor<64x64xf32>
        %sum = arith.addf %x, %y : tensor<64x64xf32>
        tile.store %sum, %c[%i, %zero] : tensor<64x64xf32>, memref<128x64xf32>
      }
    }
  }
}
