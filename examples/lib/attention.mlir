// What attention over blocks of keys is made of. R rows of queries see C keys at a time, of which each has a value of D numbers. Scores are to base 2: products of
// queries and keys times log2(e), which costs nothing where they are scaled anyway.

// Adds a block to the running softmax of rows: the greatest score so far, the sum of the powers below it, and the values weighted by these. Scores that nobody
// sees are far below all others, as -1e30 is.
tile.fragment @add_block<@R, @C, @D>(%masked: tensor<?x?xf32>, %vt: tensor<?x?xbf16>, %m0: tensor<?xf32>, %s0: tensor<?xf32>, %a0: tensor<?x?xf32>) {
  %here = tile.reduce maximum %masked dim 1 : tensor<?x?xf32> -> tensor<?xf32>
  %m1 = arith.maximumf %m0, %here : tensor<?xf32>
  %mb = tile.broadcast %m1 dims [0] tile [@R, @C] : tensor<?xf32> -> tensor<?x?xf32>
  %d = arith.subf %masked, %mb : tensor<?x?xf32>
  %p = math.exp2 %d : tensor<?x?xf32>
  %part = tile.reduce add %p dim 1 : tensor<?x?xf32> -> tensor<?xf32>
  %dm = arith.subf %m0, %m1 : tensor<?xf32>
  %shrink = math.exp2 %dm : tensor<?xf32>
  %old = arith.mulf %s0, %shrink : tensor<?xf32>
  %s1 = arith.addf %old, %part : tensor<?xf32>
  %shrink_b = tile.broadcast %shrink dims [0] tile [@R, @D] : tensor<?xf32> -> tensor<?x?xf32>
  %shrunk = arith.mulf %a0, %shrink_b : tensor<?x?xf32>
  %weights = arith.truncf %p : tensor<?x?xf32> to tensor<?x?xbf16>
  %a1 = tile.dot %weights, %vt, %shrunk : tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?x?xf32>
  tile.return %m1, %s1, %a1 : tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>
}

// The mean of the values by the weights of the softmax.
tile.fragment @mean<@R, @D>(%acc: tensor<?x?xf32>, %sum: tensor<?xf32>) {
  %sum_b = tile.broadcast %sum dims [0] tile [@R, @D] : tensor<?xf32> -> tensor<?x?xf32>
  %mean = arith.divf %acc, %sum_b : tensor<?x?xf32>
  tile.return %mean : tensor<?x?xf32>
}

// Adds a part that somebody else has attended to: its mean of values and the logarithm of its sum of weights, to base 2.
tile.fragment @add_part<@R, @D>(%ot: tensor<?x?xf32>, %lt: tensor<?xf32>, %m0: tensor<?xf32>, %s0: tensor<?xf32>, %a0: tensor<?x?xf32>) {
  %m1 = arith.maximumf %m0, %lt : tensor<?xf32>
  %dm = arith.subf %m0, %m1 : tensor<?xf32>
  %shrink = math.exp2 %dm : tensor<?xf32>
  %dt = arith.subf %lt, %m1 : tensor<?xf32>
  %weight = math.exp2 %dt : tensor<?xf32>
  %old = arith.mulf %s0, %shrink : tensor<?xf32>
  %s1 = arith.addf %old, %weight : tensor<?xf32>
  %shrink_b = tile.broadcast %shrink dims [0] tile [@R, @D] : tensor<?xf32> -> tensor<?x?xf32>
  %weight_b = tile.broadcast %weight dims [0] tile [@R, @D] : tensor<?xf32> -> tensor<?x?xf32>
  %shrunk = arith.mulf %a0, %shrink_b : tensor<?x?xf32>
  %weighted = arith.mulf %ot, %weight_b : tensor<?x?xf32>
  %a1 = arith.addf %shrunk, %weighted : tensor<?x?xf32>
  tile.return %m1, %s1, %a1 : tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>
}
