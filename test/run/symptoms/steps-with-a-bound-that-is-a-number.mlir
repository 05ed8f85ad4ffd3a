// As many tasks in each step as the rank's number says: the number of a bound that is no expression over the extents was
// taken from an empty list.
// RUN: not tilec run %s --world 2 2>&1 | FileCheck %s
// CHECK: steps-with-a-bound-that-is-a-number.mlir:[[#@LINE+7]]:{{[0-9]+}}: error: 'tile.forall' op is repeated by steps and has a bound that is no expression over the extents, expected constants, extents or a 'tile.extent'

tile.program @part<%M, %T>(%a: memref<3x?xf32>) extents [%a: 3, %M] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rank = tile.rank
  scf.for %s = %c0 to %T step %c1 {
    tile.forall (%i, %j) in [%rank ceildiv 64, 4] {
      %t = tile.load %a[%i, %j] tile [1, 64] : memref<3x?xf32> -> tensor<1x64xf32>
      tile.store %t, %a[%i, %j] : tensor<1x64xf32>, memref<3x?xf32>
    }
  }
}
