tile.use "../lib/attention.mlir"

// One new token of each of B sequences attends to a cache in pages of 16 tokens. A sequence has a list of at most S pages, in any order and
// anywhere in the cache, and a length in tokens, which bounds its loop. Eight heads of queries share one of keys and values.
// q: B x H x 8 x 128; k, v: P pages x H x 16 x 128, bf16; pages: B x S numbers of pages; lengths: B; o: B x H x 8 x 128, f32.
tile.program @paged_decode<%B, %H, %P, %S>(%q: memref<?x?x8x128xbf16>, %k: memref<?x?x16x128xbf16>, %v: memref<?x?x16x128xbf16>, %pages: memref<?x?xi32>, %lengths: memref<?xi32>, %o: memref<?x?x8x128xf32>)
    extents [%q: %B, %H, 8, 128] [%k: %P, %H, 16, 128] [%v: %P, %H, 16, 128] [%pages: %B, %S] [%lengths: %B] [%o: %B, %H, 8, 128]
    indices [%pages: %P] [%lengths: 16 * %S] {
  %most = tile.extent [16 * %S]
  tile.forall (%b, %h) in [%B, %H] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %length = tile.read %lengths[%b] upto %most : memref<?xi32>
    %rounded = arith.addi %length, %c31 : index
    %blocks = arith.divui %rounded, %c32 : index
    %kh = memref.subview %k[0, %h, 0, 0] [%P, 1, 16, 128] [1, 1, 1, 1] : memref<?x?x16x128xbf16> to memref<?x16x128xbf16, strided<[?, 128, 1], offset: ?>>
    %vh = memref.subview %v[0, %h, 0, 0] [%P, 1, 16, 128] [1, 1, 1, 1] : memref<?x?x16x128xbf16> to memref<?x16x128xbf16, strided<[?, 128, 1], offset: ?>>
    %qt = tile.load %q[%b, %h, %c0, %c0] tile [8, 128] : memref<?x?x8x128xbf16> -> tensor<8x128xbf16>
    %low = tile.splat -1.0e30 [8] : tensor<8xf32>
    %none = tile.splat 0.0 [8] : tensor<8xf32>
    %nothing = tile.splat 0.0 [8, 128] : tensor<8x128xf32>
    %no_scores = tile.splat 0.0 [8, 32] : tensor<8x32xf32>
    %hidden = tile.splat -1.0e30 [8, 32] : tensor<8x32xf32>
    // log2(e) / sqrt(128)
    %scale = tile.splat 0.12751743 [8, 32] : tensor<8x32xf32>
    %column = tile.iota dim 1 tile [8, 32] : tensor<8x32xi32>
    %length_int = arith.index_cast %length : index to i32
    %limit = tile.splat %length_int [8, 32] : tensor<8x32xi32>
    %max, %sum, %acc = scf.for %n = %c0 to %blocks step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>) {
      %page = tile.load %pages[%b, %n] tile [2] : memref<?x?xi32> -> tensor<2xi32>
      %kp = tile.gather %kh[each %page, %c0, %c0] tile [2, 16, 128] : memref<?x16x128xbf16, strided<[?, 128, 1], offset: ?>>, tensor<2xi32> -> tensor<2x16x128xbf16>
      %vp = tile.gather %vh[each %page, %c0, %c0] tile [2, 16, 128] : memref<?x16x128xbf16, strided<[?, 128, 1], offset: ?>>, tensor<2xi32> -> tensor<2x16x128xbf16>
      %kt = tile.reshape %kp tile [32, 128] : tensor<2x16x128xbf16> -> tensor<32x128xbf16>
      %vt = tile.reshape %vp tile [32, 128] : tensor<2x16x128xbf16> -> tensor<32x128xbf16>
      %dots = tile.dot %qt, transpose %kt, %no_scores : tensor<8x128xbf16>, tensor<32x128xbf16>, tensor<8x32xf32>
      %scores = arith.mulf %dots, %scale : tensor<8x32xf32>
      %first = arith.muli %n, %c32 : index
      %first_int = arith.index_cast %first : index to i32
      %base = tile.splat %first_int [8, 32] : tensor<8x32xi32>
      %columns = arith.addi %column, %base : tensor<8x32xi32>
      %inside = arith.cmpi slt, %columns, %limit : tensor<8x32xi32>
      %masked = arith.select %inside, %scores, %hidden : tensor<8x32xi1>, tensor<8x32xf32>
      %m1, %s1, %a1 = tile.call @add_block<8, 32, 128>(%masked, %vt, %m0, %s0, %a0) : (tensor<8x32xf32>, tensor<32x128xbf16>, tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>)
      scf.yield %m1, %s1, %a1 : tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>
    }
    // without a token the sum is 0
    %tiny = tile.splat 1.0e-30 [8] : tensor<8xf32>
    %positive = arith.maximumf %sum, %tiny : tensor<8xf32>
    %positive_b = tile.broadcast %positive dims [0] tile [8, 128] : tensor<8xf32> -> tensor<8x128xf32>
    %mean = arith.divf %acc, %positive_b : tensor<8x128xf32>
    tile.store %mean, %o[%b, %h, %c0, %c0] : tensor<8x128xf32>, memref<?x?x8x128xf32>
  }
}
