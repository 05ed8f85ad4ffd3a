// Weights of four bits, two in a byte: the lower half of byte j of a row is element 2 j, the upper one element 2 j + 1.

// The halves of R x B bytes, each in the lower bits of an element of its own: R x 2 B, 0 to 15.
tile.fragment @halves<@R, @B, @C>(%bytes: tensor<?x?xi8>) {
  %twice = tile.broadcast %bytes dims [0, 1] tile [@R, @B, 2] : tensor<?x?xi8> -> tensor<?x?x2xi8>
  %each = tile.reshape %twice tile [@R, @C] : tensor<?x?x2xi8> -> tensor<?x?xi8>
  %column = tile.iota dim 1 tile [@R, @C] : tensor<?x?xi32>
  %one = tile.splat 1 [@R, @C] : tensor<?x?xi32>
  %two = tile.splat 2 [@R, @C] : tensor<?x?xi32>
  %odd = arith.andi %column, %one : tensor<?x?xi32>
  %by = arith.shli %odd, %two : tensor<?x?xi32>
  %wide = arith.extui %each : tensor<?x?xi8> to tensor<?x?xi32>
  %down = arith.shrui %wide, %by : tensor<?x?xi32>
  %mask = tile.splat 15 [@R, @C] : tensor<?x?xi32>
  %half = arith.andi %down, %mask : tensor<?x?xi32>
  tile.return %half : tensor<?x?xi32>
}

// Signed integers of four bits, -8 to 7: C is 2 B.
tile.fragment @unpack_int4<@R, @B, @C>(%bytes: tensor<?x?xi8>) {
  %half = tile.call @halves<@R, @B, @C>(%bytes) : (tensor<?x?xi8>) -> tensor<?x?xi32>
  %eight = tile.splat 8 [@R, @C] : tensor<?x?xi32>
  %turned = arith.xori %half, %eight : tensor<?x?xi32>
  // The bits of 2^23 and a small number, added: exact, and machines convert few integers a clock.
  %exponent = tile.splat 1258291200 [@R, @C] : tensor<?x?xi32>
  %bits = arith.ori %turned, %exponent : tensor<?x?xi32>
  %above = arith.bitcast %bits : tensor<?x?xi32> to tensor<?x?xf32>
  %base = tile.splat 8388616.0 [@R, @C] : tensor<?x?xf32>
  %number = arith.subf %above, %base : tensor<?x?xf32>
  %float = arith.truncf %number : tensor<?x?xf32> to tensor<?x?xbf16>
  tile.return %float : tensor<?x?xbf16>
}

// Floats of four bits (E2M1: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives): C is 2 B.
tile.fragment @unpack_fp4<@R, @B, @C>(%bytes: tensor<?x?xi8>) {
  %half = tile.call @halves<@R, @B, @C>(%bytes) : (tensor<?x?xi8>) -> tensor<?x?xi32>
  %one = tile.splat 1 [@R, @C] : tensor<?x?xi32>
  %two = tile.splat 2 [@R, @C] : tensor<?x?xi32>
  %three = tile.splat 3 [@R, @C] : tensor<?x?xi32>
  %eight = tile.splat 8 [@R, @C] : tensor<?x?xi32>
  %fraction = arith.andi %half, %one : tensor<?x?xi32>
  %shifted = arith.shrui %half, %one : tensor<?x?xi32>
  %exponent = arith.andi %shifted, %three : tensor<?x?xi32>
  // In halves: a subnormal is its fraction, others (2 + fraction) * 2 ^ (exponent - 1).
  %none = tile.splat 0 [@R, @C] : tensor<?x?xi32>
  %is_small = arith.cmpi eq, %exponent, %none : tensor<?x?xi32>
  %less = arith.subi %exponent, %one : tensor<?x?xi32>
  %by = arith.select %is_small, %none, %less : tensor<?x?xi1>, tensor<?x?xi32>
  %whole = arith.addi %fraction, %two : tensor<?x?xi32>
  %significand = arith.select %is_small, %fraction, %whole : tensor<?x?xi1>, tensor<?x?xi32>
  %magnitude = arith.shli %significand, %by : tensor<?x?xi32>
  %sign = arith.andi %half, %eight : tensor<?x?xi32>
  %is_negative = arith.cmpi ne, %sign, %none : tensor<?x?xi32>
  %negative = arith.subi %none, %magnitude : tensor<?x?xi32>
  %halves = arith.select %is_negative, %negative, %magnitude : tensor<?x?xi1>, tensor<?x?xi32>
  %float = arith.sitofp %halves : tensor<?x?xi32> to tensor<?x?xbf16>
  %scale = tile.splat 0.5 [@R, @C] : tensor<?x?xbf16>
  %value = arith.mulf %float, %scale : tensor<?x?xbf16>
  tile.return %value : tensor<?x?xbf16>
}

// Times a number for each S of a row: R x C and R x P, C is S P.
tile.fragment @scale_parts<@R, @P, @S, @C>(%values: tensor<?x?xbf16>, %scales: tensor<?x?xbf16>) {
  %parts = tile.broadcast %scales dims [0, 1] tile [@R, @P, @S] : tensor<?x?xbf16> -> tensor<?x?x?xbf16>
  %each = tile.reshape %parts tile [@R, @C] : tensor<?x?x?xbf16> -> tensor<?x?xbf16>
  %scaled = arith.mulf %values, %each : tensor<?x?xbf16>
  tile.return %scaled : tensor<?x?xbf16>
}

// Scales of a byte (E8M0, as MXFP4 has one for each 32): 2 ^ (e - 127), and 0 for an e of 0.
tile.fragment @powers_of_two<@R, @P>(%exponents: tensor<?x?xi8>) {
  %wide = arith.extui %exponents : tensor<?x?xi8> to tensor<?x?xi32>
  %place = tile.splat 23 [@R, @P] : tensor<?x?xi32>
  %bits = arith.shli %wide, %place : tensor<?x?xi32>
  %float = arith.bitcast %bits : tensor<?x?xi32> to tensor<?x?xf32>
  %power = arith.truncf %float : tensor<?x?xf32> to tensor<?x?xbf16>
  tile.return %power : tensor<?x?xbf16>
}
