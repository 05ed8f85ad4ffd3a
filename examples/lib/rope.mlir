// Rotary position embedding.

// Rotates pairs of numbers, one half of a head against the other, by angles of which cosines and sines are given.
tile.fragment @rotate(%a1: tensor<?xf32>, %z1: tensor<?xf32>, %cos: tensor<?xf32>, %sin: tensor<?xf32>) {
  %a_cos = arith.mulf %a1, %cos : tensor<?xf32>
  %z_sin = arith.mulf %z1, %sin : tensor<?xf32>
  %z_cos = arith.mulf %z1, %cos : tensor<?xf32>
  %a_sin = arith.mulf %a1, %sin : tensor<?xf32>
  %a2 = arith.subf %a_cos, %z_sin : tensor<?xf32>
  %z2 = arith.addf %z_cos, %a_sin : tensor<?xf32>
  tile.return %a2, %z2 : tensor<?xf32>, tensor<?xf32>
}
