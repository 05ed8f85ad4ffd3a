// RUN: tilec verify %s --world 2 | FileCheck %s --check-prefix=WHOLE
// RUN: tilec verify %s --world 2 --minimal 2>&1 | FileCheck %s --check-prefix=MINIMAL
// RUN: tilec %s --world 2 --pattern sequential-push --until=waits > %t.mlir 2>/dev/null && tilec-opt %t.mlir --pass-pipeline='builtin.module(tile.program(tile-verify))' -o /dev/null
// RUN: sed -e '/tile.wait  system %%send_arrived/d' -e 's/after %%1, /after /' %t.mlir > %t.without.mlir && not cmp -s %t.mlir %t.without.mlir
// RUN: not tilec-opt %t.without.mlir --pass-pipeline='builtin.module(tile.program(tile-verify))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WITHOUT
// RUN: for p in $(%some sequential-push bulk-push specialized-push); do tilec run %s --world 2 --pattern $p --extent N=70,S=3 --race --memory weak --shuffle || exit 1; done
// What a scatter writes once, each step of a loop around it does: another step writes the same elements again, from another rank. Steps counted
// as one statement, and without the wait between them it was verified all the same.
// WHOLE: assumed of 1 scatter: no element is written twice
// MINIMAL-NOT: :31:7: remark: wait is redundant
// MINIMAL: redundant: 1 of 3 waits
// WITHOUT: error: data race: write of element [0, 0] of '%y'
tile.program @in_steps<%N, %S>(%slots: memref<?x?xi32>, %x: memref<?x64xf32>, %y: memref<?x64xf32, #tile.symmetric>)
    extents [%slots: %S, %N] [%x: %N, 64] [%y: %N, 64] {
  %me = tile.rank
  %all = tile.extent [W]
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = tile.extent [%S]
  scf.for %s = %first to %steps step %one {
    tile.forall (%n) in [%N ceildiv 32] {
      %c0 = arith.constant 0 : index
      %following = arith.addi %me, %s : index
      %to = arith.remui %following, %all : index
      %side = arith.constant 32 : index
      %row = arith.muli %n, %side : index
      %row_i32 = arith.index_cast %row : index to i32
      %place = tile.splat %row_i32 [32] : tensor<32xi32>
      %number = tile.iota dim 0 tile [32] : tensor<32xi32>
      %slot = arith.addi %place, %number : tensor<32xi32>
      %t = tile.load %x[%n, %c0] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
      tile.scatter %t, %y[each %slot, %c0] to %to : tensor<32x64xf32>, memref<?x64xf32, #tile.symmetric>, tensor<32xi32>
    }
  }
}
