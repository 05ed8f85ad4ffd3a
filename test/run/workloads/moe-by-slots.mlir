// RUN: for w in $(%some 2 4 3 8); do tilec verify %s --world $w || exit 1; done
// RUN: for p in $(%some bulk-push sequential-push specialized-push); do tilec run %s --world 3 --pattern $p --extent N=50,T=2,E=2,C=9,D=72,F=40 --race --memory weak --skewed --shuffle --launches 2 || exit 1; done
// The mixture of experts of example 16, but that all slots are sent and multiplied, full or not: which places a task writes is no data.

// A mixture of experts that are spread over the ranks, E on each. A router has given every token T of all W * E experts, and every expert C slots
// for the tokens of each rank. It says which token is in a slot, and in which slots a token is; -1 is none. Tokens go to their experts, through
// (silu(x gate^T) * (x up^T)) down^T, and back, where the results of a token are added up, each times its weight.
// x, y: N x D tokens of this rank; tokens: E x W x C; slots: T x N, from 0 to W * E * C; weights: T x N, f32; gate, up: E x F x D; down: E x D x F, bf16.
tile.program @moe<%N, %T, %E, %C, %D, %F>(%x: memref<?x?xbf16>, %tokens: memref<?x?x?xi32>, %slots: memref<?x?xi32>, %weights: memref<?x?xf32>,
                                          %gate: memref<?x?x?xbf16>, %up: memref<?x?x?xbf16>, %down: memref<?x?x?xbf16>, %y: memref<?x?xbf16>)
    extents [%x: %N, %D] [%tokens: %E, W, %C] [%slots: %T, %N] [%weights: %T, %N] [%gate: %E, %F, %D] [%up: %E, %F, %D] [%down: %E, %D, %F] [%y: %N, %D]
    indices [%tokens: %N] [%slots: W * %E * %C] {
  // Tiles have as many rows as there are where they are made as those of the transpose: then any multiple of 8 will do.
  tile.param @BM in [64, 72, 80, 88, 96, 104, 112, 120, 128]
  tile.param @BN in [64, 128]
  tile.param @BK in [32, 64]
  tile.param @DM in [64, 128, 144, 160, 176, 192, 208, 224, 240, 256]
  tile.param @DN in [64, 128, 256]
  tile.param @DK in [32, 64]
  // Row r * C + c of an expert is slot c of rank r; of what returns, (r * E + e) * C + c that of expert e on rank r.
  %arrived = tile.alloc [%E, W * %C, %D] : memref<?x?x?xbf16, #tile.symmetric>
  %hidden = tile.alloc [%E, W * %C, %F] : memref<?x?x?xbf16>
  %done = tile.alloc [%E, W * %C, %D] : memref<?x?x?xbf16>
  %returned = tile.alloc [W * %E * %C, %D] : memref<?x?xbf16, #tile.symmetric>
  %me = tile.rank

  // dispatch, expert after expert: a slot without a token gathers zeros
  tile.forall (%e, %r, %c, %d) in [%E, W, %C ceildiv 32, %D ceildiv 256] on 48 workgroups {
    %row = arith.muli %me, %C : index
    %mine = memref.subview %arrived[%e, %row, 0] [1, %C, %D] [1, 1, 1] : memref<?x?x?xbf16, #tile.symmetric> to memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>
    %nobody = arith.constant -1 : i32
    %token = tile.load %tokens[%e, %r, %c] tile [32] else %nobody : i32 : memref<?x?x?xi32> -> tensor<32xi32>
    %t = tile.gather %x[each %token, %d] tile [32, 256] : memref<?x?xbf16>, tensor<32xi32> -> tensor<32x256xbf16>
    tile.store %t, %mine[%c, %d] to %r : tensor<32x256xbf16>, memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>
  }

  // the experts: the tokens of one, from all ranks, are a matrix
  tile.matmul %arrived, transpose %gate, transpose %up into %hidden tiles [@BM, @BN, @BK]
      : memref<?x?x?xbf16, #tile.symmetric>, memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xbf16>
      epilogue (%e, %row, %col, %g: tensor<?x?xf32>, %u: tensor<?x?xf32>) {
    %one = tile.splat 1.0 [@BM, @BN] : tensor<?x?xf32>
    %minus = arith.negf %g : tensor<?x?xf32>
    %exp = math.exp %minus : tensor<?x?xf32>
    %den = arith.addf %one, %exp : tensor<?x?xf32>
    %silu = arith.divf %g, %den : tensor<?x?xf32>
    %gated = arith.mulf %silu, %u : tensor<?x?xf32>
    %out = arith.truncf %gated : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.yield %out : tensor<?x?xbf16>
  }
  tile.matmul %hidden, transpose %down into %done tiles [@DM, @DN, @DK] : memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xbf16>

  // the way back
  tile.forall (%e, %r, %c, %d) in [%E, W, %C ceildiv 32, %D ceildiv 256] {
    %row = arith.muli %r, %C : index
    %theirs = memref.subview %done[%e, %row, 0] [1, %C, %D] [1, 1, 1] : memref<?x?x?xbf16> to memref<?x?xbf16, strided<[?, 1], offset: ?>>
    %t = tile.load %theirs[%c, %d] tile [32, 256] : memref<?x?xbf16, strided<[?, 1], offset: ?>> -> tensor<32x256xbf16>
    %before = arith.muli %me, %E : index
    %expert = arith.addi %before, %e : index
    %slot = arith.muli %expert, %C : index
    %back = memref.subview %returned[%slot, 0] [%C, %D] [1, 1] : memref<?x?xbf16, #tile.symmetric> to memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>
    tile.store %t, %back[%c, %d] to %r : tensor<32x256xbf16>, memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>
  }

  // combine: a token that found an expert full gets zeros from it
  tile.forall (%n, %d) in [%N ceildiv 32, %D ceildiv 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = tile.splat 0.0 [32, 64] : tensor<32x64xf32>
    %sum = scf.for %j = %c0 to %T step %c1 iter_args(%s = %zero) -> tensor<32x64xf32> {
      %slot = tile.load %slots[%j, %n] tile [32] : memref<?x?xi32> -> tensor<32xi32>
      %weight = tile.load %weights[%j, %n] tile [32] : memref<?x?xf32> -> tensor<32xf32>
      %t = tile.gather %returned[each %slot, %d] tile [32, 64] : memref<?x?xbf16, #tile.symmetric>, tensor<32xi32> -> tensor<32x64xbf16>
      %f = arith.extf %t : tensor<32x64xbf16> to tensor<32x64xf32>
      %each = tile.broadcast %weight dims [0] tile [32, 64] : tensor<32xf32> -> tensor<32x64xf32>
      %weighted = arith.mulf %f, %each : tensor<32x64xf32>
      %next = arith.addf %s, %weighted : tensor<32x64xf32>
      scf.yield %next : tensor<32x64xf32>
    }
    %out = arith.truncf %sum : tensor<32x64xf32> to tensor<32x64xbf16>
    tile.store %out, %y[%n, %d] : tensor<32x64xbf16>, memref<?x?xbf16>
  }
}
