// Best local alignment of pairs of sequences: h(i, j) = max(0, h(i-1, j-1) + (3 if a[i] = b[j] else -3), h(i-1, j) - 2, h(i, j-1) - 2)
// and the maximum of h. a: P x 64, b: P x N, i32, b stored backwards; best: P, i32. A task walks the anti-diagonals of one pair; element
// i of diagonal d is h(i, d - i). Diagonals are kept in scratch, from which the two before are read, also one element to the left.
tile.program @smith_waterman<%P, %N>(%a: memref<?x64xi32>, %b: memref<?x?xi32>, %best: memref<?xi32>)
    extents [%a: %P, 64] [%b: %P, %N] [%best: %P] {
  %diagonals = tile.alloc [%P, %N + 63, 64] : memref<?x?x64xi32>
  %steps = tile.extent [%N + 63]
  tile.forall (%p) in [%P] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %minus1 = arith.constant -1 : index
    %none = arith.constant -1 : i32
    %zero = tile.splat 0 [64] : tensor<64xi32>
    %gap = tile.splat 2 [64] : tensor<64xi32>
    %same = tile.splat 3 [64] : tensor<64xi32>
    %other = tile.splat -3 [64] : tensor<64xi32>
    %i = tile.iota dim 0 tile [64] : tensor<64xi32>
    %n_int = arith.index_cast %N : index to i32
    %n_all = tile.splat %n_int [64] : tensor<64xi32>
    %at = tile.load %a[%p, %c0] tile [64] : memref<?x64xi32> -> tensor<64xi32>
    %max = scf.for %d = %c0 to %steps step %c1 iter_args(%m = %zero) -> tensor<64xi32> {
      // b(d - i) of the author's order is element N - 1 - d + i of what is stored
      %last = arith.subi %N, %c1 : index
      %offset = arith.subi %last, %d : index
      %bt = tile.load %b at (%p, %offset) tile [64] else %none : i32 : memref<?x?xi32> -> tensor<64xi32>
      %before = arith.subi %d, %c1 : index
      %before2 = arith.subi %d, %c2 : index
      %up_left = tile.load %diagonals at (%p, %before2, %minus1) tile [64] : memref<?x?x64xi32> -> tensor<64xi32>
      %up = tile.load %diagonals at (%p, %before, %minus1) tile [64] : memref<?x?x64xi32> -> tensor<64xi32>
      %left = tile.load %diagonals at (%p, %before, %c0) tile [64] : memref<?x?x64xi32> -> tensor<64xi32>
      %is = arith.cmpi eq, %at, %bt : tensor<64xi32>
      %score = arith.select %is, %same, %other : tensor<64xi1>, tensor<64xi32>
      %h0 = arith.addi %up_left, %score : tensor<64xi32>
      %h1 = arith.subi %up, %gap : tensor<64xi32>
      %h2 = arith.subi %left, %gap : tensor<64xi32>
      %h3 = arith.maxsi %h0, %h1 : tensor<64xi32>
      %h4 = arith.maxsi %h2, %zero : tensor<64xi32>
      %h5 = arith.maxsi %h3, %h4 : tensor<64xi32>
      // columns before the first and after the last hold 0
      %d_int = arith.index_cast %d : index to i32
      %d_all = tile.splat %d_int [64] : tensor<64xi32>
      %j = arith.subi %d_all, %i : tensor<64xi32>
      %from = arith.cmpi sge, %j, %zero : tensor<64xi32>
      %to = arith.cmpi slt, %j, %n_all : tensor<64xi32>
      %inside = arith.andi %from, %to : tensor<64xi1>
      %h = arith.select %inside, %h5, %zero : tensor<64xi1>, tensor<64xi32>
      tile.store %h, %diagonals[%p, %d, %c0] : tensor<64xi32>, memref<?x?x64xi32>
      %next = arith.maxsi %m, %h : tensor<64xi32>
      scf.yield %next : tensor<64xi32>
    }
    %all = tile.reduce maximum %max dim 0 : tensor<64xi32> -> tensor<i32>
    tile.store %all, %best[%p] : tensor<i32>, memref<?xi32>
  }
}
