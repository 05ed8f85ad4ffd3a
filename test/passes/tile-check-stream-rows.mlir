// Attention's loop fed by a copy engine: what protects its slots, its sums and its operands in registers is taken out of the exit dialect, or
// changed, and `check` says what goes wrong.
// DEFINE: %{check} = tilec-opt --pass-pipeline='builtin.module(tile.program(tile-check))' -o %t.out
// RUN: tilec %s --world 1 --target sm_90a --until=prepare > %t && %{check} %t

// Both products read what has landed.
// RUN: awk '!/ hip.await_full /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: 'hip.multiply_async' op reads LDS that a copy may still fill
// FULL: note: the copy is here

// Scores are used, and the sums handed on, when no product is left that writes them: in the first step, behind the last one, and in those between, whose
// scores are awaited while the product of the step before goes on.
// RUN: for n in 1 2 3 4; do awk "!/ hip.await_products / || ++n != $n" %t | not %{check} 2>&1 | FileCheck %s --check-prefix=SUMS || exit 1; done
// SUMS: 'hip.take' op uses sums that a product may still write
// RUN: sed '/hip.await_products/s/left = 1 /left = 2 /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=BACK
// BACK: 'hip.await_products' op gives back sums that one of the 2 products that are left may still write
// RUN: awk '/ hip.await_products .*left = 0/ && ++n == 3 { sub("left = 0", "left = 1") } 1' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: 'hip.await_products' op gives back sums that one of the 1 products that are left may still write

// A slot is filled again when the products of all waves are over.
// RUN: awk '!/ hip.meet /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=UNMET
// UNMET: 'hip.copying' op overwrites LDS without a barrier after a load of it
// RUN: awk '!/ hip.fence_async /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=FENCE
// FENCE: 'hip.copying' op overwrites LDS without a 'hip.fence_async' after a store of threads

// Weights are read by the products where the lanes of the sums have them.
// RUN: sed '/hip.multiply_async.*transposed/{s/%%scores_[0-9]*, %%scores_[0-9]*/&!/;s/, %%scores_[0-9]*!/, %%qt/;s/128xbf16, #layout2/128xbf16, #layout/;}' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=LANES
// LANES: 'hip.multiply_async' op has a left operand whose lanes are not those of Wgmma64x64x16: 'tensor<128x128xbf16

// The map that the launcher makes is that of all heads.
// RUN: sed 's/\(hip.tensor_map \)%%k_[0-9]*, /\1%%v_2, /' %t | not %{check} 2>&1 | FileCheck %s --check-prefix=MAP
// MAP: 'hip.mapped_feed' op feeds from a view that its map does not describe, expected the whole buffer that the launcher has mapped
tile.program @attention<%T>(%q: memref<?x128xbf16>, %k: memref<2x?x128xbf16>, %v: memref<2x?x128xbf16>, %o: memref<2x?x128xf32>, %marks: memref<2x?x128xf32>) extents [%q: %T, 128] [%k: 2, %T, 128] [%v: 2, %T, 128] [%o: 2, %T, 128] [%marks: 2, %T ceildiv 128, 128] {
  %blocks = tile.extent [%T ceildiv 64]
  tile.forall (%h, %m) in [2, %T ceildiv 128] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %past = arith.addi %m, %c1 : index
    %seen = arith.muli %past, %c2 : index
    %end = arith.minui %seen, %blocks : index
    %qt = tile.load %q[%m, %c0] tile [128, 128] : memref<?x128xbf16> -> tensor<128x128xbf16>
    %low = tile.splat -1.0e30 [128] : tensor<128xf32>
    %none = tile.splat 0.0 [128] : tensor<128xf32>
    %nothing = tile.splat 0.0 [128, 128] : tensor<128x128xf32>
    %no_scores = tile.splat 0.0 [128, 64] : tensor<128x64xf32>
    %max, %sum, %acc = scf.for %n = %c0 to %end step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
      %kt = tile.load %k[%h, %n, %c0] tile [64, 128] : memref<2x?x128xbf16> -> tensor<64x128xbf16>
      %vt = tile.load %v[%h, %n, %c0] tile [64, 128] : memref<2x?x128xbf16> -> tensor<64x128xbf16>
      %scores = tile.dot %qt, transpose %kt, %no_scores : tensor<128x128xbf16>, tensor<64x128xbf16>, tensor<128x64xf32>
      %here = tile.reduce maximum %scores dim 1 : tensor<128x64xf32> -> tensor<128xf32>
      %m1 = arith.maximumf %m0, %here : tensor<128xf32>
      %mb = tile.broadcast %m1 dims [0] tile [128, 64] : tensor<128xf32> -> tensor<128x64xf32>
      %d = arith.subf %scores, %mb : tensor<128x64xf32>
      %p = math.exp2 %d : tensor<128x64xf32>
      %part = tile.reduce add %p dim 1 : tensor<128x64xf32> -> tensor<128xf32>
      %dm = arith.subf %m0, %m1 : tensor<128xf32>
      %shrink = math.exp2 %dm : tensor<128xf32>
      %old = arith.mulf %s0, %shrink : tensor<128xf32>
      %s1 = arith.addf %old, %part : tensor<128xf32>
      %shrink_b = tile.broadcast %shrink dims [0] tile [128, 128] : tensor<128xf32> -> tensor<128x128xf32>
      %shrunk = arith.mulf %a0, %shrink_b : tensor<128x128xf32>
      %weights = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xbf16>
      %a1 = tile.dot %weights, %vt, %shrunk : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
      scf.yield %m1, %s1, %a1 : tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>
    }
    %sum_b = tile.broadcast %sum dims [0] tile [128, 128] : tensor<128xf32> -> tensor<128x128xf32>
    %mean = arith.divf %acc, %sum_b : tensor<128x128xf32>
    tile.store %mean, %o[%h, %m, %c0] : tensor<128x128xf32>, memref<2x?x128xf32>
    // A sum over waves: all waves of the workgroup meet in it, so that the kernel has no producer.
    %over_rows = tile.reduce add %mean dim 0 : tensor<128x128xf32> -> tensor<128xf32>
    %row = tile.reshape %over_rows tile [1, 128] : tensor<128xf32> -> tensor<1x128xf32>
    tile.store %row, %marks[%h, %m, %c0] : tensor<1x128xf32>, memref<2x?x128xf32>
  }
}
