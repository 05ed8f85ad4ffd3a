// A product beside one new token's attention, as decode.mlir has it: neither needs anything of the other, and one asks for arithmetic, the other for memory.
tile.program @decode_beside<%H, %T, %M, %N, %K>(%q: memref<?x8x128xbf16>, %k: memref<?x?x128xbf16>, %v: memref<?x?x128xbf16>, %o: memref<?x8x128xbf16>,
    %a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] [%q: %H, 8, 128] [%k: %H, %T, 128] [%v: %H, %T, 128] [%o: %H, 8, 128] {
  tile.param @P in [72, 64, 56, 48, 40, 32]
  tile.param @SPLITS in [11, 8, 5, 3, 2]
  tile.param @TOKENS in [128, 64, 32]
  tile.param @ROWS in [64, 16]
  %split_o = tile.alloc [@SPLITS, %H, 8, 128] : memref<?x?x8x128xf32>
  %split_l = tile.alloc [@SPLITS, %H, 8] : memref<?x?x8xf32>
  %splits = tile.extent [@SPLITS]
  %columns = tile.extent [@TOKENS]
  %blocks = tile.extent [%T ceildiv @TOKENS]
  %share = tile.extent [(%T ceildiv @TOKENS) ceildiv @SPLITS]
  tile.forall (%s, %h) in [@SPLITS, %H] on @P workgroups {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %begin = arith.muli %s, %share : index
    %beyond = arith.addi %begin, %share : index
    %end = arith.minui %beyond, %blocks : index
    %qt = tile.load %q[%h, %c0, %c0] tile [@ROWS, 128] : memref<?x8x128xbf16> -> tensor<?x128xbf16>
    %low = tile.splat -1.0e30 [@ROWS] : tensor<?xf32>
    %none = tile.splat 0.0 [@ROWS] : tensor<?xf32>
    %nothing = tile.splat 0.0 [@ROWS, 128] : tensor<?x128xf32>
    %no_scores = tile.splat 0.0 [@ROWS, @TOKENS] : tensor<?x?xf32>
    %hidden = tile.splat -1.0e30 [@ROWS, @TOKENS] : tensor<?x?xf32>
    // log2(e) / sqrt(128)
    %scale = tile.splat 0.12751743 [@ROWS, @TOKENS] : tensor<?x?xf32>
    %scale_of_row = tile.splat 0.12751743 [@ROWS] : tensor<?xf32>
    %column = tile.iota dim 1 tile [@ROWS, @TOKENS] : tensor<?x?xi32>
    // Blocks with columns behind the last token are masked.
    %tokens = arith.index_cast %T : index to i32
    %limit = tile.splat %tokens [@ROWS, @TOKENS] : tensor<?x?xi32>
    %max, %sum, %acc = scf.for %n = %begin to %end step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x128xf32>) {
      %kt = tile.load %k[%h, %n, %c0] tile [@TOKENS, 128] : memref<?x?x128xbf16> -> tensor<?x128xbf16>
      %vt = tile.load %v[%h, %n, %c0] tile [@TOKENS, 128] : memref<?x?x128xbf16> -> tensor<?x128xbf16>
      %dots = tile.dot %qt, transpose %kt, %no_scores : tensor<?x128xbf16>, tensor<?x128xbf16>, tensor<?x?xf32>
      %first = arith.muli %n, %columns : index
      %past = arith.addi %first, %columns : index
      %partly = arith.cmpi ugt, %past, %T : index
      %seen = scf.if %partly -> (tensor<?x?xf32>) {
        %first_int = arith.index_cast %first : index to i32
        %base = tile.splat %first_int [@ROWS, @TOKENS] : tensor<?x?xi32>
        %places = arith.addi %column, %base : tensor<?x?xi32>
        %inside = arith.cmpi slt, %places, %limit : tensor<?x?xi32>
        %masked = arith.select %inside, %dots, %hidden : tensor<?x?xi1>, tensor<?x?xf32>
        scf.yield %masked : tensor<?x?xf32>
      } else {
        scf.yield %dots : tensor<?x?xf32>
      }
      %highest = tile.reduce maximum %seen dim 1 : tensor<?x?xf32> -> tensor<?xf32>
      %here = arith.mulf %highest, %scale_of_row : tensor<?xf32>
      %m1 = arith.maximumf %m0, %here : tensor<?xf32>
      %mb = tile.broadcast %m1 dims [0] tile [@ROWS, @TOKENS] : tensor<?xf32> -> tensor<?x?xf32>
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
    // an empty split has a maximum of -1e30 and a sum of 0
    %tiny = tile.splat 1.0e-30 [@ROWS] : tensor<?xf32>
    %positive = arith.maximumf %sum, %tiny : tensor<?xf32>
    %positive_b = tile.broadcast %positive dims [0] tile [@ROWS, 128] : tensor<?xf32> -> tensor<?x128xf32>
    %mean = arith.divf %acc, %positive_b : tensor<?x128xf32>
    %log = math.log2 %positive : tensor<?xf32>
    %lse = arith.addf %log, %max : tensor<?xf32>
    tile.store %mean, %split_o[%s, %h, %c0, %c0] : tensor<?x128xf32>, memref<?x?x8x128xf32>
    tile.store %lse, %split_l[%s, %h, %c0] : tensor<?xf32>, memref<?x?x8xf32>
  }
  tile.matmul %a, transpose %b into %c : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
  tile.forall (%h) in [%H] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %low = tile.splat -3.0e38 [8] : tensor<8xf32>
    %none = tile.splat 0.0 [8] : tensor<8xf32>
    %nothing = tile.splat 0.0 [8, 128] : tensor<8x128xf32>
    %max, %sum, %acc = scf.for %s = %c0 to %splits step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>) {
      %ot = tile.load %split_o[%s, %h, %c0, %c0] tile [8, 128] : memref<?x?x8x128xf32> -> tensor<8x128xf32>
      %lt = tile.load %split_l[%s, %h, %c0] tile [8] : memref<?x?x8xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %lt : tensor<8xf32>
      %dm = arith.subf %m0, %m1 : tensor<8xf32>
      %shrink = math.exp2 %dm : tensor<8xf32>
      %dt = arith.subf %lt, %m1 : tensor<8xf32>
      %weight = math.exp2 %dt : tensor<8xf32>
      %old = arith.mulf %s0, %shrink : tensor<8xf32>
      %s1 = arith.addf %old, %weight : tensor<8xf32>
      %shrink_b = tile.broadcast %shrink dims [0] tile [8, 128] : tensor<8xf32> -> tensor<8x128xf32>
      %weight_b = tile.broadcast %weight dims [0] tile [8, 128] : tensor<8xf32> -> tensor<8x128xf32>
      %shrunk = arith.mulf %a0, %shrink_b : tensor<8x128xf32>
      %weighted = arith.mulf %ot, %weight_b : tensor<8x128xf32>
      %a1 = arith.addf %shrunk, %weighted : tensor<8x128xf32>
      scf.yield %m1, %s1, %a1 : tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>
    }
    %sum_b = tile.broadcast %sum dims [0] tile [8, 128] : tensor<8xf32> -> tensor<8x128xf32>
    %mean = arith.divf %acc, %sum_b : tensor<8x128xf32>
    %out = arith.truncf %mean : tensor<8x128xf32> to tensor<8x128xbf16>
    tile.store %out, %o[%h, %c0, %c0] : tensor<8x128xbf16>, memref<?x8x128xbf16>
  }
}
