tile.use "../lib/attention.mlir"
tile.use "../lib/norms.mlir"
tile.use "../lib/rope.mlir"

// A layer of Qwen3 for one new token of each of B sequences, tensor-parallel: a rank has H heads of keys and values and four times as many of
// queries, and F hidden columns of the MLP. (Qwen3-8B on one GPU: D 4096, H 8, F 12288.) x, y: B x D, bf16, the same on every rank. positions: the place of the
// new token of each sequence in the cache, which holds S: keys, values: B x H x S x 128. cosines, sines: S x 64, f32, of the angles of RoPE.
// Weights: qkv: 768 H x D, rows of all heads of queries, of keys, of values; proj: D x 512 H; gate, up: F x D; down: D x F; gammas of four norms.
tile.program @qwen3_layer<%B, %S, %D, %H, %F>(
    %x: memref<?x?xbf16>, %positions: memref<?xi32>, %cosines: memref<?x64xf32>, %sines: memref<?x64xf32>, %keys: memref<?x?x?x128xbf16>,
    %values: memref<?x?x?x128xbf16>, %gamma1: memref<?xbf16>, %gamma_q: memref<128xbf16>, %gamma_k: memref<128xbf16>, %gamma2: memref<?xbf16>,
    %qkv: memref<?x?xbf16>, %proj: memref<?x?xbf16>, %gate: memref<?x?xbf16>, %up: memref<?x?xbf16>, %down: memref<?x?xbf16>, %y: memref<?x?xbf16>)
    extents [%x: %B, %D] [%positions: %B] [%cosines: %S, 64] [%sines: %S, 64] [%keys: %B, %H, %S, 128] [%values: %B, %H, %S, 128] [%gamma1: %D]
            [%gamma2: %D] [%qkv: 768 * %H, %D] [%proj: %D, 512 * %H] [%gate: %F, %D] [%up: %F, %D] [%down: %D, %F] [%y: %B, %D]
    indices [%positions: %S] {
  %normed = tile.alloc [%B, %D] : memref<?x?xbf16>
  %heads = tile.alloc [%B, 768 * %H] : memref<?x?xf32>
  %queries = tile.alloc [4 * %H, %B, 128] : memref<?x?x128xbf16>
  %attended = tile.alloc [4 * %H, %B, 128] : memref<?x?x128xbf16>
  %part = tile.alloc [%B, %D] : memref<?x?xf32, #tile.symmetric>
  %projected = tile.alloc [%B, %D] : memref<?x?xf32, #tile.symmetric>
  %h = tile.alloc [%B, %D] : memref<?x?xbf16>
  %normed2 = tile.alloc [%B, %D] : memref<?x?xbf16>
  %hidden = tile.alloc [%B, %F] : memref<?x?xbf16>
  %part2 = tile.alloc [%B, %D] : memref<?x?xf32, #tile.symmetric>
  %mlp = tile.alloc [%B, %D] : memref<?x?xf32, #tile.symmetric>
  %last = tile.extent [%S - 1]
  %blocks = tile.extent [%D ceildiv 256]
  %query_heads = tile.extent [4 * %H]

  tile.forall (%b) in [%B] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = tile.splat 0.0 [256] : tensor<256xf32>
    %squares = scf.for %n = %c0 to %blocks step %c1 iter_args(%s = %none) -> tensor<256xf32> {
      %t = tile.load %x[%b, %n] tile [256] : memref<?x?xbf16> -> tensor<256xbf16>
      %f = arith.extf %t : tensor<256xbf16> to tensor<256xf32>
      %next = math.fma %f, %f, %s : tensor<256xf32>
      scf.yield %next : tensor<256xf32>
    }
    %sum = tile.reduce add %squares dim 0 : tensor<256xf32> -> tensor<f32>
    %width_int = arith.index_cast %D : index to i32
    %width = arith.sitofp %width_int : i32 to f32
    %widths = tile.splat %width [] : tensor<f32>
    %inverse = tile.call @inverse_root(%sum, %widths) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %inverse_b = tile.broadcast %inverse dims [] tile [256] : tensor<f32> -> tensor<256xf32>
    scf.for %n = %c0 to %blocks step %c1 {
      %t = tile.load %x[%b, %n] tile [256] : memref<?x?xbf16> -> tensor<256xbf16>
      %f = arith.extf %t : tensor<256xbf16> to tensor<256xf32>
      %g = tile.load %gamma1[%n] tile [256] : memref<?xbf16> -> tensor<256xbf16>
      %gf = arith.extf %g : tensor<256xbf16> to tensor<256xf32>
      %scaled = arith.mulf %f, %inverse_b : tensor<256xf32>
      %out = arith.mulf %scaled, %gf : tensor<256xf32>
      %rounded = arith.truncf %out : tensor<256xf32> to tensor<256xbf16>
      tile.store %rounded, %normed[%b, %n] : tensor<256xbf16>, memref<?x?xbf16>
    }
  }
  tile.matmul %normed, transpose %qkv into %heads : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32>

  // Norm and RoPE of queries and keys, a head in two halves of 64; the new keys and values go into the cache.
  tile.forall (%b, %head) in [%B, 5 * %H] {
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
      %kv = arith.subi %head, %query_heads : index
      tile.store %a3, %keys[%b, %kv, %place, %c0] : tensor<64xbf16>, memref<?x?x?x128xbf16>
      tile.store %z3, %keys[%b, %kv, %place, %c1] : tensor<64xbf16>, memref<?x?x?x128xbf16>
    }
  }
  tile.forall (%b, %kv) in [%B, %H] {
    %c0 = arith.constant 0 : index
    %c5 = arith.constant 5 : index
    %behind = arith.muli %H, %c5 : index
    %column = arith.addi %behind, %kv : index
    %place = tile.read %positions[%b] upto %last : memref<?xi32>
    %v = tile.load %heads[%b, %column] tile [128] : memref<?x?xf32> -> tensor<128xf32>
    %rounded = arith.truncf %v : tensor<128xf32> to tensor<128xbf16>
    tile.store %rounded, %values[%b, %kv, %place, %c0] : tensor<128xbf16>, memref<?x?x?x128xbf16>
  }

  // Attention of four heads of queries over the keys up to the new one
  tile.forall (%b, %kv) in [%B, %H] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %first_head = arith.muli %kv, %c4 : index
    %place = tile.read %positions[%b] upto %last : memref<?xi32>
    %length = arith.addi %place, %c1 : index
    %end = arith.ceildivui %length, %c32 : index
    %group = memref.subview %queries[%first_head, %b, 0] [4, 1, 128] [1, 1, 1] : memref<?x?x128xbf16> to memref<4x128xbf16, strided<[?, 1], offset: ?>>
    %results = memref.subview %attended[%first_head, %b, 0] [4, 1, 128] [1, 1, 1] : memref<?x?x128xbf16> to memref<4x128xbf16, strided<[?, 1], offset: ?>>
    %qt = tile.load %group[%c0, %c0] tile [8, 128] : memref<4x128xbf16, strided<[?, 1], offset: ?>> -> tensor<8x128xbf16>
    %low = tile.splat -1.0e30 [8] : tensor<8xf32>
    %none = tile.splat 0.0 [8] : tensor<8xf32>
    %nothing = tile.splat 0.0 [8, 128] : tensor<8x128xf32>
    %no_scores = tile.splat 0.0 [8, 32] : tensor<8x32xf32>
    %hidden_scores = tile.splat -1.0e30 [8, 32] : tensor<8x32xf32>
    // log2(e) / sqrt(128)
    %scale = tile.splat 0.12751743 [8, 32] : tensor<8x32xf32>
    %column = tile.iota dim 1 tile [8, 32] : tensor<8x32xi32>
    %length_int = arith.index_cast %length : index to i32
    %limit = tile.splat %length_int [8, 32] : tensor<8x32xi32>
    %max, %sum, %acc = scf.for %n = %c0 to %end step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>) {
      %kt = tile.load %keys[%b, %kv, %n, %c0] tile [32, 128] : memref<?x?x?x128xbf16> -> tensor<32x128xbf16>
      %vt = tile.load %values[%b, %kv, %n, %c0] tile [32, 128] : memref<?x?x?x128xbf16> -> tensor<32x128xbf16>
      %dots = tile.dot %qt, transpose %kt, %no_scores : tensor<8x128xbf16>, tensor<32x128xbf16>, tensor<8x32xf32>
      %scores = arith.mulf %dots, %scale : tensor<8x32xf32>
      %first = arith.muli %n, %c32 : index
      %first_int = arith.index_cast %first : index to i32
      %base = tile.splat %first_int [8, 32] : tensor<8x32xi32>
      %columns = arith.addi %column, %base : tensor<8x32xi32>
      %inside = arith.cmpi slt, %columns, %limit : tensor<8x32xi32>
      %masked = arith.select %inside, %scores, %hidden_scores : tensor<8x32xi1>, tensor<8x32xf32>
      %m1, %s1, %a1 = tile.call @add_block<8, 32, 128>(%masked, %vt, %m0, %s0, %a0) : (tensor<8x32xf32>, tensor<32x128xbf16>, tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>)
      scf.yield %m1, %s1, %a1 : tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>
    }
    %mean = tile.call @mean<8, 128>(%acc, %sum) : (tensor<8x128xf32>, tensor<8xf32>) -> tensor<8x128xf32>
    %out = arith.truncf %mean : tensor<8x128xf32> to tensor<8x128xbf16>
    tile.store %out, %results[%c0, %c0] : tensor<8x128xbf16>, memref<4x128xbf16, strided<[?, 1], offset: ?>>
  }
  tile.forall (%m, %n) over %part tiles [16, 64] : memref<?x?xf32, #tile.symmetric> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = tile.splat 0.0 [16, 64] : tensor<16x64xf32>
    %sum = scf.for %head = %c0 to %query_heads step %c1 iter_args(%s = %zero) -> tensor<16x64xf32> {
      %t = tile.load %attended[%head, %m, %c0] tile [16, 128] : memref<?x?x128xbf16> -> tensor<16x128xbf16>
      %w = tile.load %proj[%n, %head] tile [64, 128] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.dot %t, transpose %w, %s : tensor<16x128xbf16>, tensor<64x128xbf16>, tensor<16x64xf32>
      scf.yield %next : tensor<16x64xf32>
    }
    tile.store %sum, %part[%m, %n] : tensor<16x64xf32>, memref<?x?xf32, #tile.symmetric>
  }
  tile.all_reduce %part into %projected : memref<?x?xf32, #tile.symmetric>, memref<?x?xf32, #tile.symmetric>

  // Residual, then the norm of what it gives
  tile.forall (%b) in [%B] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = tile.splat 0.0 [256] : tensor<256xf32>
    %squares = scf.for %n = %c0 to %blocks step %c1 iter_args(%s = %none) -> tensor<256xf32> {
      %t = tile.load %x[%b, %n] tile [256] : memref<?x?xbf16> -> tensor<256xbf16>
      %f = arith.extf %t : tensor<256xbf16> to tensor<256xf32>
      %p = tile.load %projected[%b, %n] tile [256] : memref<?x?xf32, #tile.symmetric> -> tensor<256xf32>
      %r = arith.addf %f, %p : tensor<256xf32>
      %rounded = arith.truncf %r : tensor<256xf32> to tensor<256xbf16>
      tile.store %rounded, %h[%b, %n] : tensor<256xbf16>, memref<?x?xbf16>
      %next = math.fma %r, %r, %s : tensor<256xf32>
      scf.yield %next : tensor<256xf32>
    }
    %sum = tile.reduce add %squares dim 0 : tensor<256xf32> -> tensor<f32>
    %width_int = arith.index_cast %D : index to i32
    %width = arith.sitofp %width_int : i32 to f32
    %widths = tile.splat %width [] : tensor<f32>
    %inverse = tile.call @inverse_root(%sum, %widths) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %inverse_b = tile.broadcast %inverse dims [] tile [256] : tensor<f32> -> tensor<256xf32>
    scf.for %n = %c0 to %blocks step %c1 {
      %t = tile.load %x[%b, %n] tile [256] : memref<?x?xbf16> -> tensor<256xbf16>
      %f = arith.extf %t : tensor<256xbf16> to tensor<256xf32>
      %p = tile.load %projected[%b, %n] tile [256] : memref<?x?xf32, #tile.symmetric> -> tensor<256xf32>
      %r = arith.addf %f, %p : tensor<256xf32>
      %g = tile.load %gamma2[%n] tile [256] : memref<?xbf16> -> tensor<256xbf16>
      %gf = arith.extf %g : tensor<256xbf16> to tensor<256xf32>
      %scaled = arith.mulf %r, %inverse_b : tensor<256xf32>
      %out = arith.mulf %scaled, %gf : tensor<256xf32>
      %rounded = arith.truncf %out : tensor<256xf32> to tensor<256xbf16>
      tile.store %rounded, %normed2[%b, %n] : tensor<256xbf16>, memref<?x?xbf16>
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
  tile.matmul %hidden, transpose %down into %part2 : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32, #tile.symmetric>
  tile.all_reduce %part2 into %mlp : memref<?x?xf32, #tile.symmetric>, memref<?x?xf32, #tile.symmetric>
  tile.forall (%b, %n) in [%B, %D ceildiv 256] {
    %t = tile.load %h[%b, %n] tile [256] : memref<?x?xbf16> -> tensor<256xbf16>
    %f = arith.extf %t : tensor<256xbf16> to tensor<256xf32>
    %p = tile.load %mlp[%b, %n] tile [256] : memref<?x?xf32, #tile.symmetric> -> tensor<256xf32>
    %r = arith.addf %f, %p : tensor<256xf32>
    %out = arith.truncf %r : tensor<256xf32> to tensor<256xbf16>
    tile.store %out, %y[%b, %n] : tensor<256xbf16>, memref<?x?xbf16>
  }
}
