// A mixture of experts that are spread over the ranks, E on each. A router has given every token T of all W * E experts, and every expert C slots
// for the tokens of each rank. It says how many of them are in use, from the first on, which token is in a slot, and in which slots a token is; -1
// is none. Tokens go to their experts, through (silu(x gate^T) * (x up^T)) down^T, and back, where the results of a token are added up, each times
// its weight. An expert has R rows for the tokens of all ranks; they have no gaps, and tiles behind the last one are not multiplied.
// x, y: N x D tokens of this rank; counts: 1 x W * E, from 0 to C; tokens: W * E x C; slots: T x N, from 0 to W * E * C; weights: T x N, f32;
// gate, up: E x F x D; down: E x D x F, bf16.
tile.program @moe<%N, %T, %E, %C, %R, %D, %F>(%x: memref<?x?xbf16>, %counts: memref<1x?xi32>, %tokens: memref<?x?xi32>, %slots: memref<?x?xi32>,
                                              %weights: memref<?x?xf32>, %gate: memref<?x?x?xbf16>, %up: memref<?x?x?xbf16>, %down: memref<?x?x?xbf16>, %y: memref<?x?xbf16>)
    extents [%x: %N, %D] [%counts: 1, W * %E] [%tokens: W * %E, %C] [%slots: %T, %N] [%weights: %T, %N] [%gate: %E, %F, %D] [%up: %E, %F, %D] [%down: %E, %D, %F] [%y: %N, %D]
    indices [%counts: %C + 1] [%tokens: %N] [%slots: W * %E * %C] {
  // Tiles have as many rows as there are where they are made as those of the transpose: then any multiple of 8 will do.
  tile.param @BM in [64, 72, 80, 88, 96, 104, 112, 120, 128]
  tile.param @BN in [64, 128]
  tile.param @BK in [32, 64]
  tile.param @DM in [64, 128, 144, 160, 176, 192, 208, 224, 240, 256]
  tile.param @DN in [64, 128, 256]
  tile.param @DK in [32, 64]
  // Row r of `sent` has what rank r sends to each expert, row r of `starts` at which row of the expert that begins. The last row of `starts` has
  // the rows in use. Of what returns, (r * E + e) * C + c is slot c of expert e on rank r.
  %sent = tile.alloc [W, W * %E] : memref<?x?xi32, #tile.symmetric>
  %starts = tile.alloc [W + 1, W * %E] : memref<?x?xi32>
  %arrived = tile.alloc [%E, %R, %D] : memref<?x?x?xbf16, #tile.symmetric>
  %hidden = tile.alloc [%E, %R, %F] : memref<?x?x?xbf16>
  %done = tile.alloc [%E, %R, %D] : memref<?x?x?xbf16>
  %returned = tile.alloc [W * %E * %C, %D] : memref<?x?xbf16, #tile.symmetric>
  %me = tile.rank
  %all = tile.extent [W]
  %first_expert = arith.muli %me, %E : index
  %rows = memref.subview %starts[%all, %first_expert] [1, %E] [1, 1] : memref<?x?xi32> to memref<?xi32, strided<[1], offset: ?>>

  // what all ranks send, and where it begins: the rows of rank 0 come first, then those of rank 1
  tile.forall (%r, %e) in [W, W * %E ceildiv 32] on 1 workgroups {
    %c0 = arith.constant 0 : index
    %count = tile.load %counts[%c0, %e] tile [32] : memref<1x?xi32> -> tensor<32xi32>
    tile.store %count, %sent[%me, %e] to %r : tensor<32xi32>, memref<?x?xi32, #tile.symmetric>
  }
  tile.forall (%e) in [W * %E ceildiv 32] on 1 workgroups {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = tile.splat 0 [32] : tensor<32xi32>
    %slots_i32 = arith.index_cast %C : index to i32
    %most = tile.splat %slots_i32 [32] : tensor<32xi32>
    %total = scf.for %r = %c0 to %all step %c1 iter_args(%before = %zero) -> tensor<32xi32> {
      tile.store %before, %starts[%r, %e] : tensor<32xi32>, memref<?x?xi32>
      %count = tile.load %sent[%r, %e] tile [32] : memref<?x?xi32, #tile.symmetric> -> tensor<32xi32>
      %some = arith.maxsi %count, %zero : tensor<32xi32>
      %used = arith.minsi %some, %most : tensor<32xi32>
      %next = arith.addi %before, %used : tensor<32xi32>
      scf.yield %next : tensor<32xi32>
    }
    tile.store %total, %starts[%all, %e] : tensor<32xi32>, memref<?x?xi32>
  }

  // dispatch, expert after expert: a slot that is not in use goes nowhere
  tile.forall (%e, %c, %d, %r) in [%E, %C ceildiv 32, %D ceildiv 512, W] on 48 workgroups {
    %before = arith.muli %r, %E : index
    %expert = arith.addi %before, %e : index
    %start = tile.read %starts[%me, %expert] upto %R : memref<?x?xi32>
    %count = tile.read %sent[%me, %expert] upto %C : memref<?x?xi32, #tile.symmetric>
    %nobody = arith.constant -1 : i32
    %token = tile.load %tokens[%expert, %c] tile [32] else %nobody : i32 : memref<?x?xi32> -> tensor<32xi32>
    %t = tile.gather %x[each %token, %d] tile [32, 512] : memref<?x?xbf16>, tensor<32xi32> -> tensor<32x512xbf16>
    %side = arith.constant 32 : index
    %slot = arith.muli %c, %side : index
    %row = arith.addi %start, %slot : index
    %left = arith.subi %count, %slot : index
    %row_i32 = arith.index_cast %row : index to i32
    %left_i32 = arith.index_cast %left : index to i32
    %number = tile.iota dim 0 tile [32] : tensor<32xi32>
    %first = tile.splat %row_i32 [32] : tensor<32xi32>
    %end = tile.splat %left_i32 [32] : tensor<32xi32>
    %nowhere = tile.splat -1 [32] : tensor<32xi32>
    %place = arith.addi %first, %number : tensor<32xi32>
    %is_used = arith.cmpi slt, %number, %end : tensor<32xi32>
    %to = arith.select %is_used, %place, %nowhere : tensor<32xi1>, tensor<32xi32>
    tile.scatter %t, %arrived[%e, each %to, %d] to %r : tensor<32x512xbf16>, memref<?x?x?xbf16, #tile.symmetric>, tensor<32xi32>
  }

  // the experts: the tokens of one, from all ranks, are a matrix
  tile.matmul %arrived, transpose %gate, transpose %up into %hidden rows %rows : memref<?xi32, strided<[1], offset: ?>> tiles [@BM, @BN, @BK]
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
  tile.matmul %hidden, transpose %down into %done rows %rows : memref<?xi32, strided<[1], offset: ?>> tiles [@DM, @DN, @DK]
      : memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xbf16>

  // the way back, from rows to slots: of a token that found no row, zeros
  tile.forall (%e, %c, %d, %r) in [%E, %C ceildiv 32, %D ceildiv 512, W] {
    %expert = arith.addi %first_expert, %e : index
    %start = tile.read %starts[%r, %expert] upto %R : memref<?x?xi32>
    %count = tile.read %sent[%r, %expert] upto %C : memref<?x?xi32, #tile.symmetric>
    %side = arith.constant 32 : index
    %slot = arith.muli %c, %side : index
    %row = arith.addi %start, %slot : index
    %left = arith.subi %count, %slot : index
    %row_i32 = arith.index_cast %row : index to i32
    %left_i32 = arith.index_cast %left : index to i32
    %slot_i32 = arith.index_cast %slot : index to i32
    %number = tile.iota dim 0 tile [32] : tensor<32xi32>
    %first = tile.splat %row_i32 [32] : tensor<32xi32>
    %end = tile.splat %left_i32 [32] : tensor<32xi32>
    %first_slot = tile.splat %slot_i32 [32] : tensor<32xi32>
    %nowhere = tile.splat -1 [32] : tensor<32xi32>
    %place = arith.addi %first, %number : tensor<32xi32>
    %back = arith.addi %first_slot, %number : tensor<32xi32>
    %is_used = arith.cmpi slt, %number, %end : tensor<32xi32>
    %from = arith.select %is_used, %place, %nowhere : tensor<32xi1>, tensor<32xi32>
    %to = arith.select %is_used, %back, %nowhere : tensor<32xi1>, tensor<32xi32>
    %t = tile.gather %done[%e, each %from, %d] tile [32, 512] : memref<?x?x?xbf16>, tensor<32xi32> -> tensor<32x512xbf16>
    %begin = arith.muli %expert, %C : index
    %theirs = memref.subview %returned[%begin, 0] [%C, %D] [1, 1] : memref<?x?xbf16, #tile.symmetric> to memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>
    tile.scatter %t, %theirs[each %to, %d] to %r : tensor<32x512xbf16>, memref<?x?xbf16, strided<[?, 1], offset: ?>, #tile.symmetric>, tensor<32xi32>
  }

  // combine: what is in a slot that is not in use counts as zeros
  tile.forall (%n, %d) in [%N ceildiv 8, %D ceildiv 512] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = tile.splat 0.0 [8, 512] : tensor<8x512xf32>
    %slots_i32 = arith.index_cast %C : index to i32
    %slots_each = tile.splat %slots_i32 [8] : tensor<8xi32>
    %nowhere = tile.splat -1 [8] : tensor<8xi32>
    %sum = scf.for %j = %c0 to %T step %c1 iter_args(%s = %zero) -> tensor<8x512xf32> {
      %slot = tile.load %slots[%j, %n] tile [8] : memref<?x?xi32> -> tensor<8xi32>
      %weight = tile.load %weights[%j, %n] tile [8] : memref<?x?xf32> -> tensor<8xf32>
      %expert = arith.divsi %slot, %slots_each : tensor<8xi32>
      %number = arith.remsi %slot, %slots_each : tensor<8xi32>
      %count = tile.gather %counts[%c0, each %expert] tile [8] : memref<1x?xi32>, tensor<8xi32> -> tensor<8xi32>
      %is_used = arith.cmpi slt, %number, %count : tensor<8xi32>
      %from = arith.select %is_used, %slot, %nowhere : tensor<8xi1>, tensor<8xi32>
      %t = tile.gather %returned[each %from, %d] tile [8, 512] : memref<?x?xbf16, #tile.symmetric>, tensor<8xi32> -> tensor<8x512xbf16>
      %f = arith.extf %t : tensor<8x512xbf16> to tensor<8x512xf32>
      %each = tile.broadcast %weight dims [0] tile [8, 512] : tensor<8xf32> -> tensor<8x512xf32>
      %weighted = arith.mulf %f, %each : tensor<8x512xf32>
      %next = arith.addf %s, %weighted : tensor<8x512xf32>
      scf.yield %next : tensor<8x512xf32>
    }
    %out = arith.truncf %sum : tensor<8x512xf32> to tensor<8x512xbf16>
    tile.store %out, %y[%n, %d] : tensor<8x512xbf16>, memref<?x?xbf16>
  }
}
