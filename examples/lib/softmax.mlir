// The running softmax of rows that come in blocks of columns.

// Adds a block of C columns to R rows: their greatest element so far and the sum of the exponentials below it. Gives also the exponentials of the
// block, and by how much those of earlier blocks have become less. Elements that do not count are far below all others, as -1e30 is.
tile.fragment @add_columns<@R, @C>(%x: tensor<?x?xf32>, %m0: tensor<?xf32>, %s0: tensor<?xf32>) {
  %here = tile.reduce maximum %x dim 1 : tensor<?x?xf32> -> tensor<?xf32>
  %m1 = arith.maximumf %m0, %here : tensor<?xf32>
  %mb = tile.broadcast %m1 dims [0] tile [@R, @C] : tensor<?xf32> -> tensor<?x?xf32>
  %d = arith.subf %x, %mb : tensor<?x?xf32>
  %p = math.exp %d : tensor<?x?xf32>
  %part = tile.reduce add %p dim 1 : tensor<?x?xf32> -> tensor<?xf32>
  %dm = arith.subf %m0, %m1 : tensor<?xf32>
  %shrink = math.exp %dm : tensor<?xf32>
  %old = arith.mulf %s0, %shrink : tensor<?xf32>
  %s1 = arith.addf %old, %part : tensor<?xf32>
  tile.return %m1, %s1, %p, %shrink : tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?xf32>
}
