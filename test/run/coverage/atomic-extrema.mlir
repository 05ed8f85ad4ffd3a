// RUN: tilec run %s --world 1
// RUN: tilec run %s --world 3 --pattern sequential-push --memory weak --seed 5
// RUN: sed "s/i32/i64/g" %s > %t.i64.mlir && tilec run %t.i64.mlir --world 2 --memory weak
// RUN: sed "s/i32/i64/g;s/atomic minimum/atomic add/;s/reduce minimum/reduce add/" %s > %t.sum.mlir && tilec run %t.sum.mlir --world 2 --target sm_90a

// Greatest and least of what many workgroups, here and on peers, bring.
tile.program @extrema<%M>(%a: memref<?x64xf32>, %i: memref<?x64xi32>, %s: memref<64xf32>, %t: memref<64xi32>) extents [%a: %M, 64] [%i: %M, 64] [%s: 64] [%t: 64] {
  %x = tile.alloc [64] : memref<64xf32, #tile.symmetric>
  %y = tile.alloc [64] : memref<64xi32, #tile.symmetric>
  tile.forall (%z) in [1] {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 [64] : tensor<64xf32>
    tile.store %zero, %x[%c0] : tensor<64xf32>, memref<64xf32, #tile.symmetric>
    %izero = tile.splat 0 [64] : tensor<64xi32>
    tile.store %izero, %y[%c0] : tensor<64xi32>, memref<64xi32, #tile.symmetric>
  }
  tile.forall (%p, %m) in [W, %M ceildiv 16] {
    %c0 = arith.constant 0 : index
    %v = tile.load %a[%m, %c0] tile [16, 64] : memref<?x64xf32> -> tensor<16x64xf32>
    %r = tile.reduce maximum %v dim 0 : tensor<16x64xf32> -> tensor<64xf32>
    tile.atomic maximum %r, %x[%c0] on %p : tensor<64xf32>, memref<64xf32, #tile.symmetric>
    %w = tile.load %i[%m, %c0] tile [16, 64] : memref<?x64xi32> -> tensor<16x64xi32>
    %q = tile.reduce minimum %w dim 0 : tensor<16x64xi32> -> tensor<64xi32>
    tile.atomic minimum %q, %y[%c0] on %p : tensor<64xi32>, memref<64xi32, #tile.symmetric>
  }
  tile.forall (%z) in [1] {
    %c0 = arith.constant 0 : index
    %v = tile.load %x[%c0] tile [64] : memref<64xf32, #tile.symmetric> -> tensor<64xf32>
    tile.store %v, %s[%c0] : tensor<64xf32>, memref<64xf32>
    %w = tile.load %y[%c0] tile [64] : memref<64xi32, #tile.symmetric> -> tensor<64xi32>
    tile.store %w, %t[%c0] : tensor<64xi32>, memref<64xi32>
  }
}
