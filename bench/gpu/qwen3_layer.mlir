tile.use "../../examples/lib/attention.mlir"
tile.use "../../examples/lib/norms.mlir"
tile.use "../../examples/lib/rope.mlir"

// A layer of Qwen3 for one new token of each of B sequences on one GPU (Qwen3-8B: D 4096, H 8, F 12288), as examples/17_decoder_layer has it for
// many, with attention in shares of the tokens and residuals behind the products. x, y: B x D, bf16. positions: the place of the new token of each
// sequence in the cache, which holds S: keys, values: (B H) x S x 128. cosines, sines: S x 64, f32, of the angles of RoPE.
// Weights: qkv: 768 H x D, rows of all heads of queries, of keys, of values; proj: D x 512 H; gate, up: F x D; down: D x F; gammas of four norms.
tile.program @qwen3_layer<%B, %S, %D, %H, %F>(
    %x: memref<?x?xbf16>, %positions: memref<?xi32>, %cosines: memref<?x64xf32>, %sines: memref<?x64xf32>, %keys: memref<?x?x128xbf16>,
    %values: memref<?x?x128xbf16>, %gamma1: memref<?xbf16>, %gamma_q: memref<128xbf16>, %gamma_k: memref<128xbf16>, %gamma2: memref<?xbf16>,
    %qkv: memref<?x?xbf16>, %proj: memref<?x?xbf16>, %gate: memref<?x?xbf16>, %up: memref<?x?xbf16>, %down: memref<?x?xbf16>, %y: memref<?x?xbf16>)
    extents [%x: %B, %D] [%positions: %B] [%cosines: %S, 64] [%sines: %S, 64] [%keys: %B * %H, %S, 128] [%values: %B * %H, %S, 128] [%gamma1: %D]
            [%gamma2: %D] [%qkv: 768 * %H, %D] [%proj: %D, 512 * %H] [%gate: %F, %D] [%up: %F, %D] [%down: %D, %F] [%y: %B, %D]
    indices [%positions: %S] {
  tile.param @BM in [16, 64]
  tile.param @BN in [64, 128]
  tile.param @BK in [64, 128]
  tile.param @SPLITS in [16, 8, 4]
  tile.param @KEYS in [64, 128]
  tile.param @ROWS in [64, 16]
  %normed = tile.alloc [%B, %D] : memref<?x?xbf16>
  %heads = tile.alloc [%B, 768 * %H] : memref<?x?xf32>
  %queries = tile.alloc [4 * %H, %B, 128] : memref<?x?x128xbf16>
  %attended = tile.alloc [%B, 512 * %H] : memref<?x?xbf16>
  %split_o = tile.alloc [%B, 4 * %H, @SPLITS, 128] : memref<?x?x?x128xf32>
  %split_l = tile.alloc [%B, 4 * %H, @SPLITS] : memref<?x?x?xf32>
  %h = tile.alloc [%B, %D] : memref<?x?xbf16>
  %normed2 = tile.alloc [%B, %D] : memref<?x?xbf16>
  %hidden = tile.alloc [%B, %F] : memref<?x?xbf16>
  %last = tile.extent [%S - 1]
  %blocks = tile.extent [%D ceildiv 4096]
  %query_heads = tile.extent [4 * %H]
  %rotated_heads = tile.extent [5 * %H]

  tile.forall (%b) in [%B] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = tile.splat 0.0 [4096] : tensor<4096xf32>
    %squares = scf.for %n = %c0 to %blocks step %c1 iter_args(%s = %none) -> tensor<4096xf32> {
      %t = tile.load %x[%b, %n] tile [4096] : memref<?x?xbf16> -> tensor<4096xbf16>
      %f = arith.extf %t : tensor<4096xbf16> to tensor<4096xf32>
      %next = math.fma %f, %f, %s : tensor<4096xf32>
      scf.yield %next : tensor<4096xf32>
    }
    %sum = tile.reduce add %squares dim 0 : tensor<4096xf32> -> tensor<f32>
    %width_int = arith.index_cast %D : index to i32
    %width = arith.sitofp %width_int : i32 to f32
    %widths = tile.splat %width [] : tensor<f32>
    %inverse = tile.call @inverse_root(%sum, %widths) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %inverse_b = tile.broadcast %inverse dims [] tile [4096] : tensor<f32> -> tensor<4096xf32>
    scf.for %n = %c0 to %blocks step %c1 {
      %t = tile.load %x[%b, %n] tile [4096] : memref<?x?xbf16> -> tensor<4096xbf16>
      %f = arith.extf %t : tensor<4096xbf16> to tensor<4096xf32>
      %g = tile.load %gamma1[%n] tile [4096] : memref<?xbf16> -> tensor<4096xbf16>
      %gf = arith.extf %g : tensor<4096xbf16> to tensor<4096xf32>
      %scaled = arith.mulf %f, %inverse_b : tensor<4096xf32>
      %out = arith.mulf %scaled, %gf : tensor<4096xf32>
      %rounded = arith.truncf %out : tensor<4096xf32> to tensor<4096xbf16>
      tile.store %rounded, %normed[%b, %n] : tensor<4096xbf16>, memref<?x?xbf16>
    }
  }
  tile.matmul %normed, transpose %qkv into %heads tiles [@BM, @BN, @BK] : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32>

  // Norm and RoPE of queries and keys, a head in two halves of 64; the new keys and values go into the cache.
  tile.forall (%b, %head) in [%B, 6 * %H] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %left = arith.muli %head, %c2 : index
    %right = arith.addi %left, %c1 : index
    %a = tile.load %heads[%b, %left] tile [64] : memref<?x?xf32> -> tensor<64xf32>
    %z = tile.load %heads[%b, %right] tile [64] : memref<?x?xf32> -> tensor<64xf32>
    %aa = arith.mulf %a, %a : tensor<64xf32>
    %squares = math.fma %z, %z, %aa : tensor<64xf32>
    %sum = tile.reduce add %squares dim 0 : tensor<64xf32> -> tensor<f32>
    %width = tile.splat 128.0 [] : tensor<f32>
    %inverse = tile.call @inverse_root(%sum, %width) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %inverse_b = tile.broadcast %inverse dims [] tile [64] : tensor<f32> -> tensor<64xf32>
    %is_query = arith.cmpi ult, %head, %query_heads : index
    %gq_left = tile.load %gamma_q[%c0] tile [64] : memref<128xbf16> -> tensor<64xbf16>
    %gq_right = tile.load %gamma_q[%c1] tile [64] : memref<128xbf16> -> tensor<64xbf16>
    %gk_left = tile.load %gamma_k[%c0] tile [64] : memref<128xbf16> -> tensor<64xbf16>
    %gk_right = tile.load %gamma_k[%c1] tile [64] : memref<128xbf16> -> tensor<64xbf16>
    %g_left = arith.select %is_query, %gq_left, %gk_left : tensor<64xbf16>
    %g_right = arith.select %is_query, %gq_right, %gk_right : tensor<64xbf16>
    %gf_left = arith.extf %g_left : tensor<64xbf16> to tensor<64xf32>
    %gf_right = arith.extf %g_right : tensor<64xbf16> to tensor<64xf32>
    %a_scaled = arith.mulf %a, %inverse_b : tensor<64xf32>
    %z_scaled = arith.mulf %z, %inverse_b : tensor<64xf32>
    %a1 = arith.mulf %a_scaled, %gf_left : tensor<64xf32>
    %z1 = arith.mulf %z_scaled, %gf_right : tensor<64xf32>
    %place = tile.read %positions[%b] upto %last : memref<?xi32>
    %cos = tile.load %cosines[%place, %c0] tile [64] : memref<?x64xf32> -> tensor<64xf32>
    %sin = tile.load %sines[%place, %c0] tile [64] : memref<?x64xf32> -> tensor<64xf32>
    %a2, %z2 = tile.call @rotate(%a1, %z1, %cos, %sin) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
    %a3 = arith.truncf %a2 : tensor<64xf32> to tensor<64xbf16>
    %z3 = arith.truncf %z2 : tensor<64xf32> to tensor<64xbf16>
    scf.if %is_query {
      tile.store %a3, %queries[%head, %b, %c0] : tensor<64xbf16>, memref<?x?x128xbf16>
      tile.store %z3, %queries[%head, %b, %c1] : tensor<64xbf16>, memref<?x?x128xbf16>
    } else {
      %bh = arith.muli %b, %H : index
      %is_key = arith.cmpi ult, %head, %rotated_heads : index
      scf.if %is_key {
        %key = arith.subi %head, %query_heads : index
        %pair = arith.addi %bh, %key : index
        tile.store %a3, %keys[%pair, %place, %c0] : tensor<64xbf16>, memref<?x?x128xbf16>
        tile.store %z3, %keys[%pair, %place, %c1] : tensor<64xbf16>, memref<?x?x128xbf16>
      } else {
        %value = arith.subi %head, %rotated_heads : index
        %pair = arith.addi %bh, %value : index
        %v_left = arith.truncf %a : tensor<64xf32> to tensor<64xbf16>
        %v_right = arith.truncf %z : tensor<64xf32> to tensor<64xbf16>
        tile.store %v_left, %values[%pair, %place, %c0] : tensor<64xbf16>, memref<?x?x128xbf16>
        tile.store %v_right, %values[%pair, %place, %c1] : tensor<64xbf16>, memref<?x?x128xbf16>
      }
    }
  }
  // Attention of four heads of queries over a share of the keys up to the new one
  %heads_of_keys = tile.extent [%H]
  tile.forall (%split, %b, %kv) in [@SPLITS, %B, %H] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %columns = tile.extent [@KEYS]
    %splits = tile.extent [@SPLITS]
    %first_head = arith.muli %kv, %c4 : index
    %bh = arith.muli %b, %H : index
    %pair = arith.addi %bh, %kv : index
    %place = tile.read %positions[%b] upto %last : memref<?xi32>
    %length = arith.addi %place, %c1 : index
    %blocks_of_keys = arith.ceildivui %length, %columns : index
    %share = arith.ceildivui %blocks_of_keys, %splits : index
    %begin = arith.muli %split, %share : index
    %beyond = arith.addi %begin, %share : index
    %end = arith.minui %beyond, %blocks_of_keys : index
    %group = memref.subview %queries[%first_head, %b, 0] [4, 1, 128] [1, 1, 1] : memref<?x?x128xbf16> to memref<4x128xbf16, strided<[?, 1], offset: ?>>
    %qt = tile.load %group[%c0, %c0] tile [@ROWS, 128] : memref<4x128xbf16, strided<[?, 1], offset: ?>> -> tensor<?x128xbf16>
    %low = tile.splat -1.0e30 [@ROWS] : tensor<?xf32>
    %none = tile.splat 0.0 [@ROWS] : tensor<?xf32>
    %nothing = tile.splat 0.0 [@ROWS, 128] : tensor<?x128xf32>
    %no_scores = tile.splat 0.0 [@ROWS, @KEYS] : tensor<?x?xf32>
    %hidden_scores = tile.splat -1.0e30 [@ROWS, @KEYS] : tensor<?x?xf32>
    // log2(e) / sqrt(128)
    %scale = tile.splat 0.12751743 [@ROWS, @KEYS] : tensor<?x?xf32>
    %scale_of_row = tile.splat 0.12751743 [@ROWS] : tensor<?xf32>
    %column = tile.iota dim 1 tile [@ROWS, @KEYS] : tensor<?x?xi32>
    %length_int = arith.index_cast %length : index to i32
    %limit = tile.splat %length_int [@ROWS, @KEYS] : tensor<?x?xi32>
    %max, %sum, %acc = scf.for %n = %begin to %end step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x128xf32>) {
      %kt = tile.load %keys[%pair, %n, %c0] tile [@KEYS, 128] : memref<?x?x128xbf16> -> tensor<?x128xbf16>
      %vt = tile.load %values[%pair, %n, %c0] tile [@KEYS, 128] : memref<?x?x128xbf16> -> tensor<?x128xbf16>
      %dots = tile.dot %qt, transpose %kt, %no_scores : tensor<?x128xbf16>, tensor<?x128xbf16>, tensor<?x?xf32>
      %first = arith.muli %n, %columns : index
      %past = arith.addi %first, %columns : index
      %partly = arith.cmpi ugt, %past, %length : index
      %seen = scf.if %partly -> (tensor<?x?xf32>) {
        %first_int = arith.index_cast %first : index to i32
        %base = tile.splat %first_int [@ROWS, @KEYS] : tensor<?x?xi32>
        %at = arith.addi %column, %base : tensor<?x?xi32>
        %inside = arith.cmpi slt, %at, %limit : tensor<?x?xi32>
        %masked = arith.select %inside, %dots, %hidden_scores : tensor<?x?xi1>, tensor<?x?xf32>
        scf.yield %masked : tensor<?x?xf32>
      } else {
        scf.yield %dots : tensor<?x?xf32>
      }
      %highest = tile.reduce maximum %seen dim 1 : tensor<?x?xf32> -> tensor<?xf32>
      %here = arith.mulf %highest, %scale_of_row : tensor<?xf32>
      %m1 = arith.maximumf %m0, %here : tensor<?xf32>
      %mb = tile.broadcast %m1 dims [0] tile [@ROWS, @KEYS] : tensor<?xf32> -> tensor<?x?xf32>
      %scores = arith.mulf %seen, %scale : tensor<?x?xf32>
      %d = arith.subf %scores, %mb : tensor<?x?xf32>
      %p = math.exp2 %d : tensor<?x?xf32>
      %part = tile.reduce add %p dim 1 : tensor<?x?xf32> -> tensor<?xf32>
      %dm = arith.subf %m0, %m1 : tensor<?xf32>
      %shrink = math.exp2 %dm : tensor<?xf32>
      %old = arith.mulf %s0, %shrink : tensor<?xf32>
      %s1 = arith.addf %old, %part : tensor<?xf32>
      %shrink_b = tile.broadcast %shrink dims [0] tile [@ROWS, 128] : tensor<?xf32> -> tensor<?x128xf32>
      %shrunk = arith.mulf %a0, %shrink_b : tensor<?x128xf32>
      %weights = arith.truncf %p : tensor<?x?xf32> to tensor<?x?xbf16>
      %a1 = tile.dot %weights, %vt, %shrunk : tensor<?x?xbf16>, tensor<?x128xbf16>, tensor<?x128xf32>
      scf.yield %m1, %s1, %a1 : tensor<?xf32>, tensor<?xf32>, tensor<?x128xf32>
    }
    %tiny = tile.splat 1.0e-30 [@ROWS] : tensor<?xf32>
    %positive = arith.maximumf %sum, %tiny : tensor<?xf32>
    %mean = tile.call @mean<@ROWS, 128>(%acc, %positive) : (tensor<?x128xf32>, tensor<?xf32>) -> tensor<?x128xf32>
    %log = math.log2 %positive : tensor<?xf32>
    %lse = arith.addf %log, %max : tensor<?xf32>
    %results = memref.subview %split_o[%b, %first_head, %split, 0] [1, 4, 1, 128] [1, 1, 1, 1] : memref<?x?x?x128xf32> to memref<4x128xf32, strided<[?, 1], offset: ?>>
    %sums = memref.subview %split_l[%b, %first_head, %split] [1, 4, 1] [1, 1, 1] : memref<?x?x?xf32> to memref<4xf32, strided<[?], offset: ?>>
    tile.store %mean, %results[%c0, %c0] : tensor<?x128xf32>, memref<4x128xf32, strided<[?, 1], offset: ?>>
    tile.store %lse, %sums[%c0] : tensor<?xf32>, memref<4xf32, strided<[?], offset: ?>>
  }
  tile.forall (%b, %head) in [%B, 4 * %H] {
    %c0 = arith.constant 0 : index
    %lt = tile.load %split_l[%b, %head, %c0] tile [@SPLITS] : memref<?x?x?xf32> -> tensor<?xf32>
    %ot = tile.load %split_o[%b, %head, %c0, %c0] tile [@SPLITS, 128] : memref<?x?x?x128xf32> -> tensor<?x128xf32>
    %most = tile.reduce maximum %lt dim 0 : tensor<?xf32> -> tensor<f32>
    %most_b = tile.broadcast %most dims [] tile [@SPLITS] : tensor<f32> -> tensor<?xf32>
    %less = arith.subf %lt, %most_b : tensor<?xf32>
    %weights = math.exp2 %less : tensor<?xf32>
    %total = tile.reduce add %weights dim 0 : tensor<?xf32> -> tensor<f32>
    %weights_b = tile.broadcast %weights dims [0] tile [@SPLITS, 128] : tensor<?xf32> -> tensor<?x128xf32>
    %weighted = arith.mulf %ot, %weights_b : tensor<?x128xf32>
    %all = tile.reduce add %weighted dim 0 : tensor<?x128xf32> -> tensor<128xf32>
    %total_b = tile.broadcast %total dims [] tile [128] : tensor<f32> -> tensor<128xf32>
    %mean = arith.divf %all, %total_b : tensor<128xf32>
    %out = arith.truncf %mean : tensor<128xf32> to tensor<128xbf16>
    tile.store %out, %attended[%b, %head] : tensor<128xbf16>, memref<?x?xbf16>
  }
  tile.matmul %attended, transpose %proj into %h tiles [@BM, @BN, @BK]
      : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16> epilogue (%row, %col, %p: tensor<?x?xf32>) {
    %t = tile.load %x at (%row, %col) tile [@BM, @BN] : memref<?x?xbf16> -> tensor<?x?xbf16>
    %f = arith.extf %t : tensor<?x?xbf16> to tensor<?x?xf32>
    %r = arith.addf %f, %p : tensor<?x?xf32>
    %out = arith.truncf %r : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.yield %out : tensor<?x?xbf16>
  }

  tile.forall (%b) in [%B] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = tile.splat 0.0 [4096] : tensor<4096xf32>
    %squares = scf.for %n = %c0 to %blocks step %c1 iter_args(%s = %none) -> tensor<4096xf32> {
      %t = tile.load %h[%b, %n] tile [4096] : memref<?x?xbf16> -> tensor<4096xbf16>
      %f = arith.extf %t : tensor<4096xbf16> to tensor<4096xf32>
      %next = math.fma %f, %f, %s : tensor<4096xf32>
      scf.yield %next : tensor<4096xf32>
    }
    %sum = tile.reduce add %squares dim 0 : tensor<4096xf32> -> tensor<f32>
    %width_int = arith.index_cast %D : index to i32
    %width = arith.sitofp %width_int : i32 to f32
    %widths = tile.splat %width [] : tensor<f32>
    %inverse = tile.call @inverse_root(%sum, %widths) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %inverse_b = tile.broadcast %inverse dims [] tile [4096] : tensor<f32> -> tensor<4096xf32>
    scf.for %n = %c0 to %blocks step %c1 {
      %t = tile.load %h[%b, %n] tile [4096] : memref<?x?xbf16> -> tensor<4096xbf16>
      %f = arith.extf %t : tensor<4096xbf16> to tensor<4096xf32>
      %g = tile.load %gamma2[%n] tile [4096] : memref<?xbf16> -> tensor<4096xbf16>
      %gf = arith.extf %g : tensor<4096xbf16> to tensor<4096xf32>
      %scaled = arith.mulf %f, %inverse_b : tensor<4096xf32>
      %out = arith.mulf %scaled, %gf : tensor<4096xf32>
      %rounded = arith.truncf %out : tensor<4096xf32> to tensor<4096xbf16>
      tile.store %rounded, %normed2[%b, %n] : tensor<4096xbf16>, memref<?x?xbf16>
    }
  }
  tile.matmul %normed2, transpose %gate, transpose %up into %hidden tiles [16, 64, 64]
      : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
      epilogue (%row, %col, %g: tensor<16x64xf32>, %u: tensor<16x64xf32>) {
    %one = tile.splat 1.0 [16, 64] : tensor<16x64xf32>
    %minus = arith.negf %g : tensor<16x64xf32>
    %exp = math.exp %minus : tensor<16x64xf32>
    %den = arith.addf %one, %exp : tensor<16x64xf32>
    %silu = arith.divf %g, %den : tensor<16x64xf32>
    %gated = arith.mulf %silu, %u : tensor<16x64xf32>
    %out = arith.truncf %gated : tensor<16x64xf32> to tensor<16x64xbf16>
    tile.yield %out : tensor<16x64xbf16>
  }
  tile.matmul %hidden, transpose %down into %y tiles [@BM, @BN, @BK]
      : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16> epilogue (%row, %col, %p: tensor<?x?xf32>) {
    %t = tile.load %h at (%row, %col) tile [@BM, @BN] : memref<?x?xbf16> -> tensor<?x?xbf16>
    %f = arith.extf %t : tensor<?x?xbf16> to tensor<?x?xf32>
    %r = arith.addf %f, %p : tensor<?x?xf32>
    %out = arith.truncf %r : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.yield %out : tensor<?x?xbf16>
  }
}
