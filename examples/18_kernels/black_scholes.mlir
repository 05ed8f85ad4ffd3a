// Prices of European options by Black and Scholes. price: of the stock today; strike; years until the option expires: N, f32, all positive;
// call, put: N, f32. Interest is 0.02 and volatility 0.30 a year. N(d) is the normal distribution, by the error function.
tile.program @black_scholes<%N>(%price: memref<?xf32>, %strike: memref<?xf32>, %years: memref<?xf32>, %call: memref<?xf32>, %put: memref<?xf32>)
    extents [%price: %N] [%strike: %N] [%years: %N] [%call: %N] [%put: %N] {
  tile.param @B in [256, 512, 1024]
  tile.forall (%n) over %call tiles [@B] : memref<?xf32> {
    %one_price = arith.constant 1.0 : f32
    %s = tile.load %price[%n] tile [@B] else %one_price : f32 : memref<?xf32> -> tensor<?xf32>
    %x = tile.load %strike[%n] tile [@B] else %one_price : f32 : memref<?xf32> -> tensor<?xf32>
    %t = tile.load %years[%n] tile [@B] else %one_price : f32 : memref<?xf32> -> tensor<?xf32>
    %interest = tile.splat 0.02 [@B] : tensor<?xf32>
    %volatility = tile.splat 0.30 [@B] : tensor<?xf32>
    %drift = tile.splat 0.065 [@B] : tensor<?xf32> // interest + volatility^2 / 2
    %half = tile.splat 0.5 [@B] : tensor<?xf32>
    %one = tile.splat 1.0 [@B] : tensor<?xf32>
    %root_half = tile.splat 0.70710678 [@B] : tensor<?xf32>
    %root = math.sqrt %t : tensor<?xf32>
    %spread = arith.mulf %volatility, %root : tensor<?xf32>
    %ratio = arith.divf %s, %x : tensor<?xf32>
    %log = math.log %ratio : tensor<?xf32>
    %top = math.fma %drift, %t, %log : tensor<?xf32>
    %d1 = arith.divf %top, %spread : tensor<?xf32>
    %d2 = arith.subf %d1, %spread : tensor<?xf32>
    %d1_scaled = arith.mulf %d1, %root_half : tensor<?xf32>
    %d2_scaled = arith.mulf %d2, %root_half : tensor<?xf32>
    %e1 = math.erf %d1_scaled : tensor<?xf32>
    %e2 = math.erf %d2_scaled : tensor<?xf32>
    %n1 = math.fma %e1, %half, %half : tensor<?xf32>
    %n2 = math.fma %e2, %half, %half : tensor<?xf32>
    %rate = arith.mulf %interest, %t : tensor<?xf32>
    %minus_rate = arith.negf %rate : tensor<?xf32>
    %discount = math.exp %minus_rate : tensor<?xf32>
    %later = arith.mulf %x, %discount : tensor<?xf32>
    %s_n1 = arith.mulf %s, %n1 : tensor<?xf32>
    %x_n2 = arith.mulf %later, %n2 : tensor<?xf32>
    %c = arith.subf %s_n1, %x_n2 : tensor<?xf32>
    %not_n1 = arith.subf %one, %n1 : tensor<?xf32>
    %not_n2 = arith.subf %one, %n2 : tensor<?xf32>
    %x_not_n2 = arith.mulf %later, %not_n2 : tensor<?xf32>
    %s_not_n1 = arith.mulf %s, %not_n1 : tensor<?xf32>
    %p = arith.subf %x_not_n2, %s_not_n1 : tensor<?xf32>
    tile.store %c, %call[%n] : tensor<?xf32>, memref<?xf32>
    tile.store %p, %put[%n] : tensor<?xf32>, memref<?xf32>
  }
}
