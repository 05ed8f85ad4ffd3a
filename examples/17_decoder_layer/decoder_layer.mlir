tile.use "../lib/attention.mlir"
tile.use "../lib/norms.mlir"

// A decoder layer that is tensor-parallel: RMSNorm, causal attention of one head of 64 on each rank, residual, RMSNorm, an MLP gated by
// SiLU whose hidden columns are spread, residual. x, y: T x 128, bf16, the same on every rank if x is. Weights of a rank: qkv: 192 x 128;
// proj: 128 x 64; gate, up: F x 128; down: 128 x F.
tile.program @decoder_layer<%T, %F>(%x: memref<?x128xbf16>, %gamma1: memref<128xbf16>, %qkv: memref<192x128xbf16>, %proj: memref<128x64xbf16>,
                                    %gamma2: memref<128xbf16>, %gate: memref<?x128xbf16>, %up: memref<?x128xbf16>,
                                    %down: memref<128x?xbf16>, %y: memref<?x128xbf16>)
    extents [%x: %T, 128] [%gate: %F, 128] [%up: %F, 128] [%down: 128, %F] [%y: %T, 128] {
  %normed = tile.alloc [%T, 128] : memref<?x128xbf16>
  %heads = tile.alloc [%T, 192] : memref<?x192xbf16>
  %attended = tile.alloc [%T, 64] : memref<?x64xbf16>
  %part = tile.alloc [%T, 128] : memref<?x128xf32, #tile.symmetric>
  %projected = tile.alloc [%T, 128] : memref<?x128xf32, #tile.symmetric>
  %h = tile.alloc [%T, 128] : memref<?x128xbf16>
  %normed2 = tile.alloc [%T, 128] : memref<?x128xbf16>
  %hidden = tile.alloc [%T, %F] : memref<?x?xbf16>
  %part2 = tile.alloc [%T, 128] : memref<?x128xf32, #tile.symmetric>
  %mlp = tile.alloc [%T, 128] : memref<?x128xf32, #tile.symmetric>

  tile.forall (%m) in [%T ceildiv 16] {
    %c0 = arith.constant 0 : index
    %xt = tile.load %x[%m, %c0] tile [16, 128] : memref<?x128xbf16> -> tensor<16x128xbf16>
    %f = arith.extf %xt : tensor<16x128xbf16> to tensor<16x128xf32>
    %width = tile.splat 128.0 [16] : tensor<16xf32>
    %g = tile.load %gamma1[%c0] tile [128] : memref<128xbf16> -> tensor<128xbf16>
    %ng = tile.call @rms_norm<16, 128>(%f, %g, %width) : (tensor<16x128xf32>, tensor<128xbf16>, tensor<16xf32>) -> tensor<16x128xf32>
    %out = arith.truncf %ng : tensor<16x128xf32> to tensor<16x128xbf16>
    tile.store %out, %normed[%m, %c0] : tensor<16x128xbf16>, memref<?x128xbf16>
  }
  tile.matmul %normed, transpose %qkv into %heads : memref<?x128xbf16>, memref<192x128xbf16>, memref<?x192xbf16>
  // columns of heads: q, k, v
  tile.forall (%m) in [%T ceildiv 32] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %end = arith.addi %m, %c1 : index
    %q = tile.load %heads[%m, %c0] tile [32, 64] : memref<?x192xbf16> -> tensor<32x64xbf16>
    %row_in_tile = tile.iota dim 0 tile [32, 32] : tensor<32x32xi32>
    %first_row = arith.muli %m, %c32 : index
    %first_row_int = arith.index_cast %first_row : index to i32
    %first_rows = tile.splat %first_row_int [32, 32] : tensor<32x32xi32>
    %rows = arith.addi %row_in_tile, %first_rows : tensor<32x32xi32>
    %column = tile.iota dim 1 tile [32, 32] : tensor<32x32xi32>
    %low = tile.splat -1.0e30 [32] : tensor<32xf32>
    %none = tile.splat 0.0 [32] : tensor<32xf32>
    %nothing = tile.splat 0.0 [32, 64] : tensor<32x64xf32>
    %no_scores = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    %unseen = tile.splat -1.0e30 [32, 32] : tensor<32x32xf32>
    // log2(e) / sqrt(64)
    %scale = tile.splat 0.18033688 [32, 32] : tensor<32x32xf32>
    %max, %sum, %acc = scf.for %n = %c0 to %end step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>) {
      %k = tile.load %heads[%n, %c1] tile [32, 64] : memref<?x192xbf16> -> tensor<32x64xbf16>
      %v = tile.load %heads[%n, %c2] tile [32, 64] : memref<?x192xbf16> -> tensor<32x64xbf16>
      %dots = tile.dot %q, transpose %k, %no_scores : tensor<32x64xbf16>, tensor<32x64xbf16>, tensor<32x32xf32>
      %scores = arith.mulf %dots, %scale : tensor<32x32xf32>
      %first = arith.muli %n, %c32 : index
      %first_int = arith.index_cast %first : index to i32
      %base = tile.splat %first_int [32, 32] : tensor<32x32xi32>
      %columns = arith.addi %column, %base : tensor<32x32xi32>
      %visible = arith.cmpi sle, %columns, %rows : tensor<32x32xi32>
      %masked = arith.select %visible, %scores, %unseen : tensor<32x32xi1>, tensor<32x32xf32>
      %m1, %s1, %a1 = tile.call @add_block<32, 32, 64>(%masked, %v, %m0, %s0, %a0) : (tensor<32x32xf32>, tensor<32x64xbf16>, tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>)
      scf.yield %m1, %s1, %a1 : tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>
    }
    %mean = tile.call @mean<32, 64>(%acc, %sum) : (tensor<32x64xf32>, tensor<32xf32>) -> tensor<32x64xf32>
    %out = arith.truncf %mean : tensor<32x64xf32> to tensor<32x64xbf16>
    tile.store %out, %attended[%m, %c0] : tensor<32x64xbf16>, memref<?x64xbf16>
  }
  tile.matmul %attended, transpose %proj into %part : memref<?x64xbf16>, memref<128x64xbf16>, memref<?x128xf32, #tile.symmetric>
  tile.all_reduce %part into %projected : memref<?x128xf32, #tile.symmetric>, memref<?x128xf32, #tile.symmetric>
  tile.forall (%m) in [%T ceildiv 16] {
    %c0 = arith.constant 0 : index
    %at = tile.load %x[%m, %c0] tile [16, 128] : memref<?x128xbf16> -> tensor<16x128xbf16>
    %bt = tile.load %projected[%m, %c0] tile [16, 128] : memref<?x128xf32, #tile.symmetric> -> tensor<16x128xf32>
    %af = arith.extf %at : tensor<16x128xbf16> to tensor<16x128xf32>
    %s = arith.addf %af, %bt : tensor<16x128xf32>
    %out = arith.truncf %s : tensor<16x128xf32> to tensor<16x128xbf16>
    tile.store %out, %h[%m, %c0] : tensor<16x128xbf16>, memref<?x128xbf16>
  }
  tile.forall (%m) in [%T ceildiv 16] {
    %c0 = arith.constant 0 : index
    %xt = tile.load %h[%m, %c0] tile [16, 128] : memref<?x128xbf16> -> tensor<16x128xbf16>
    %f = arith.extf %xt : tensor<16x128xbf16> to tensor<16x128xf32>
    %width = tile.splat 128.0 [16] : tensor<16xf32>
    %g = tile.load %gamma2[%c0] tile [128] : memref<128xbf16> -> tensor<128xbf16>
    %ng = tile.call @rms_norm<16, 128>(%f, %g, %width) : (tensor<16x128xf32>, tensor<128xbf16>, tensor<16xf32>) -> tensor<16x128xf32>
    %out = arith.truncf %ng : tensor<16x128xf32> to tensor<16x128xbf16>
    tile.store %out, %normed2[%m, %c0] : tensor<16x128xbf16>, memref<?x128xbf16>
  }
  tile.matmul %normed2, transpose %gate, transpose %up into %hidden tiles [64, 64, 32]
      : memref<?x128xbf16>, memref<?x128xbf16>, memref<?x128xbf16>, memref<?x?xbf16>
      epilogue (%row, %col, %g: tensor<64x64xf32>, %u: tensor<64x64xf32>) {
    %one = tile.splat 1.0 [64, 64] : tensor<64x64xf32>
    %minus = arith.negf %g : tensor<64x64xf32>
    %exp = math.exp %minus : tensor<64x64xf32>
    %den = arith.addf %one, %exp : tensor<64x64xf32>
    %silu = arith.divf %g, %den : tensor<64x64xf32>
    %gated = arith.mulf %silu, %u : tensor<64x64xf32>
    %out = arith.truncf %gated : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.yield %out : tensor<64x64xbf16>
  }
  tile.matmul %hidden, transpose %down into %part2 : memref<?x?xbf16>, memref<128x?xbf16>, memref<?x128xf32, #tile.symmetric>
  tile.all_reduce %part2 into %mlp : memref<?x128xf32, #tile.symmetric>, memref<?x128xf32, #tile.symmetric>
  tile.forall (%m) in [%T ceildiv 16] {
    %c0 = arith.constant 0 : index
    %at = tile.load %h[%m, %c0] tile [16, 128] : memref<?x128xbf16> -> tensor<16x128xbf16>
    %bt = tile.load %mlp[%m, %c0] tile [16, 128] : memref<?x128xf32, #tile.symmetric> -> tensor<16x128xf32>
    %af = arith.extf %at : tensor<16x128xbf16> to tensor<16x128xf32>
    %s = arith.addf %af, %bt : tensor<16x128xf32>
    %out = arith.truncf %s : tensor<16x128xf32> to tensor<16x128xbf16>
    tile.store %out, %y[%m, %c0] : tensor<16x128xbf16>, memref<?x128xbf16>
  }
}
