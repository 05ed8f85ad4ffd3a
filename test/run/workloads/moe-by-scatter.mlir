// RUN: tilec verify %s --world 3 | FileCheck %s --check-prefix=ASSUMED
// ASSUMED: assumed of 1 scatter: no element is written twice
// RUN: for p in $(%some bulk-push sequential-push specialized-push bulk-pull); do tilec run %s --world 2 --pattern $p --launches 2 --extents-from 1,2,40 || exit 1; done
// RUN: tilec run %s --world 3 --extent N=50,E=2,C=9,D=72,F=40 --race --memory weak --skewed --shuffle --launches 2
// The mixture of experts of example 16, but that tokens are scattered by data into the slots that are then exchanged.

// A mixture of experts that are spread over the ranks, E on each. A router has given every token two of all W * E experts, as numbers of slots:
// an expert has C slots for the tokens of each rank, and a token that found its expert full has a slot of -1. Tokens go to their experts, through
// silu(x up^T) down^T, and back, where the results of a token's two experts are added up, each times its gate.
// x, y: N x D tokens of this rank; slots: 2 x N, from 0 to W * E * C, none twice; gates: 2 x N, f32; up: E x F x D; down: E x D x F, bf16.
tile.program @moe_by_scatter<%N, %E, %C, %D, %F>(%x: memref<?x?xbf16>, %slots: memref<2x?xi32>, %gates: memref<2x?xf32>, %up: memref<?x?x?xbf16>,
                                      %down: memref<?x?x?xbf16>, %y: memref<?x?xbf16>)
    extents [%x: %N, %D] [%slots: 2, %N] [%gates: 2, %N] [%up: %E, %F, %D] [%down: %E, %D, %F] [%y: %N, %D]
    indices [%slots: W * %E * %C distinct] {
  // In what is sent and what returns, row (r * E + e) * C + c is slot c of expert e on rank r; in what has arrived, of tokens from rank r.
  %sent = tile.alloc [W * %E * %C, %D] : memref<?x?xbf16, #tile.symmetric>
  %arrived = tile.alloc [W * %E * %C, %D] : memref<?x?xbf16, #tile.symmetric>
  %hidden = tile.alloc [W * %E * %C, %F] : memref<?x?xbf16>
  %done = tile.alloc [W * %E * %C, %D] : memref<?x?xbf16, #tile.symmetric>
  %returned = tile.alloc [W * %E * %C, %D] : memref<?x?xbf16, #tile.symmetric>
  %depth = tile.extent [%D ceildiv 32]
  %width = tile.extent [%F ceildiv 32]

  // dispatch: slots without a token are zero
  tile.forall (%s, %d) over %sent tiles [32, 64] : memref<?x?xbf16, #tile.symmetric> {
    %none = tile.splat 0.0 [32, 64] : tensor<32x64xbf16>
    tile.store %none, %sent[%s, %d] : tensor<32x64xbf16>, memref<?x?xbf16, #tile.symmetric>
  }
  tile.forall (%j, %n, %d) in [2, %N ceildiv 32, %D ceildiv 64] {
    %nowhere = arith.constant -1 : i32
    %slot = tile.load %slots[%j, %n] tile [32] else %nowhere : i32 : memref<2x?xi32> -> tensor<32xi32>
    %t = tile.load %x[%n, %d] tile [32, 64] : memref<?x?xbf16> -> tensor<32x64xbf16>
    tile.scatter %t, %sent[each %slot, %d] : tensor<32x64xbf16>, memref<?x?xbf16, #tile.symmetric>, tensor<32xi32>
  }
  tile.all_to_all %sent into %arrived dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>

  // the experts: a product of C rows for each rank and expert
  tile.forall (%r, %e, %c, %f) in [W, %E, %C ceildiv 32, %F ceildiv 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %of_rank = arith.muli %r, %E : index
    %of_expert = arith.addi %of_rank, %e : index
    %row = arith.muli %of_expert, %C : index
    %tokens = memref.subview %arrived[%row, 0] [%C, %D] [1, 1] : memref<?x?xbf16, #tile.symmetric> to memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>
    %rows = memref.subview %hidden[%row, 0] [%C, %F] [1, 1] : memref<?x?xbf16> to memref<?x?xbf16, strided<[?, 1], offset: ?>>
    %zero = tile.splat 0.0 [32, 64] : tensor<32x64xf32>
    %sum = scf.for %k = %c0 to %depth step %c1 iter_args(%s = %zero) -> tensor<32x64xf32> {
      %t = tile.load %tokens[%c, %k] tile [32, 32] : memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric> -> tensor<32x32xbf16>
      %w = tile.load %up[%e, %f, %k] tile [64, 32] : memref<?x?x?xbf16> -> tensor<64x32xbf16>
      %next = tile.dot %t, transpose %w, %s : tensor<32x32xbf16>, tensor<64x32xbf16>, tensor<32x64xf32>
      scf.yield %next : tensor<32x64xf32>
    }
    %one = tile.splat 1.0 [32, 64] : tensor<32x64xf32>
    %minus = arith.negf %sum : tensor<32x64xf32>
    %exp = math.exp %minus : tensor<32x64xf32>
    %den = arith.addf %one, %exp : tensor<32x64xf32>
    %silu = arith.divf %sum, %den : tensor<32x64xf32>
    %out = arith.truncf %silu : tensor<32x64xf32> to tensor<32x64xbf16>
    tile.store %out, %rows[%c, %f] : tensor<32x64xbf16>, memref<?x?xbf16, strided<[?, 1], offset: ?>>
  }
  tile.forall (%r, %e, %c, %d) in [W, %E, %C ceildiv 32, %D ceildiv 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %of_rank = arith.muli %r, %E : index
    %of_expert = arith.addi %of_rank, %e : index
    %row = arith.muli %of_expert, %C : index
    %rows = memref.subview %hidden[%row, 0] [%C, %F] [1, 1] : memref<?x?xbf16> to memref<?x?xbf16, strided<[?, 1], offset: ?>>
    %results = memref.subview %done[%row, 0] [%C, %D] [1, 1] : memref<?x?xbf16, #tile.symmetric> to memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>
    %zero = tile.splat 0.0 [32, 64] : tensor<32x64xf32>
    %sum = scf.for %k = %c0 to %width step %c1 iter_args(%s = %zero) -> tensor<32x64xf32> {
      %t = tile.load %rows[%c, %k] tile [32, 32] : memref<?x?xbf16, strided<[?, 1], offset: ?>> -> tensor<32x32xbf16>
      %w = tile.load %down[%e, %d, %k] tile [64, 32] : memref<?x?x?xbf16> -> tensor<64x32xbf16>
      %next = tile.dot %t, transpose %w, %s : tensor<32x32xbf16>, tensor<64x32xbf16>, tensor<32x64xf32>
      scf.yield %next : tensor<32x64xf32>
    }
    %out = arith.truncf %sum : tensor<32x64xf32> to tensor<32x64xbf16>
    tile.store %out, %results[%c, %d] : tensor<32x64xbf16>, memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>
  }

  // combine: a slot of -1 gathers zeros
  tile.all_to_all %done into %returned dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.forall (%n, %d) in [%N ceildiv 32, %D ceildiv 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = tile.splat 0.0 [32, 64] : tensor<32x64xf32>
    %sum = scf.for %j = %c0 to %c2 step %c1 iter_args(%s = %zero) -> tensor<32x64xf32> {
      %slot = tile.load %slots[%j, %n] tile [32] : memref<2x?xi32> -> tensor<32xi32>
      %gate = tile.load %gates[%j, %n] tile [32] : memref<2x?xf32> -> tensor<32xf32>
      %t = tile.gather %returned[each %slot, %d] tile [32, 64] : memref<?x?xbf16, #tile.symmetric>, tensor<32xi32> -> tensor<32x64xbf16>
      %f = arith.extf %t : tensor<32x64xbf16> to tensor<32x64xf32>
      %gate_b = tile.broadcast %gate dims [0] tile [32, 64] : tensor<32xf32> -> tensor<32x64xf32>
      %gated = arith.mulf %f, %gate_b : tensor<32x64xf32>
      %next = arith.addf %s, %gated : tensor<32x64xf32>
      scf.yield %next : tensor<32x64xf32>
    }
    %out = arith.truncf %sum : tensor<32x64xf32> to tensor<32x64xbf16>
    tile.store %out, %y[%n, %d] : tensor<32x64xbf16>, memref<?x?xbf16>
  }
}
