// RUN: tilec verify %s --world 3 --pattern bulk
// RUN: tilec verify %s --world 3 --pattern sequential-push
// RUN: tilec verify %s --world 3 --pattern specialized-push
// RUN: tilec run %s --world 3 --pattern specialized-push --launches 3 --extents-from 1,40,100 --shuffle --seed 7

// The reader walks the ranks backwards: the interval of a falling index was empty.
tile.program @backwards<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%c: %M, 64] {
  %full = tile.alloc [W * %M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.all_gather %a into %full dim 0 tiles [32, 32] : memref<?x64xf32>, memref<?x64xf32, #tile.symmetric>
  %world = tile.world_size
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %s32 = arith.constant 32 : index
  %last = arith.subi %world, %one : index
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %z = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    %row = arith.muli %m, %s32 : index
    %col = arith.muli %n, %s32 : index
    %sum = scf.for %k = %zero to %world step %one iter_args(%acc = %z) -> tensor<32x32xf32> {
      %r = arith.subi %last, %k : index
      %base = arith.muli %r, %M : index
      %first = arith.addi %base, %row : index
      %t = tile.load %full at (%first, %col) tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
      %u = arith.addf %t, %acc : tensor<32x32xf32>
      scf.yield %u : tensor<32x32xf32>
    }
    tile.store %sum, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}
