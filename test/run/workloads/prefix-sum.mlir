// RUN: tilec %s --world 1 --target gfx942 --emit=hip > %t.gfx942.hip && %generate --offload-arch=gfx942 %t.gfx942.hip
// RUN: %if full %{ tilec %s --world 1 --target gfx950 --emit=hip > %t.gfx950.hip && %generate --offload-arch=gfx950 %t.gfx950.hip %}
// RUN: for w in $(%some 1 2 4 3); do tilec run %s --world $w --extents-from 7,200 --launches 2 || exit 1; done

// y[i, j] = x[i, 0] + ... + x[i, j]. x, y: M x N, bf16 in, f32 out. A block of columns times the upper triangle of ones gives
// its sums; the last column of the blocks before is carried along.
tile.program @prefix_sum<%M, %N>(%x: memref<?x?xbf16>, %y: memref<?x?xf32>) extents [%x: %M, %N] [%y: %M, %N] {
  %blocks = tile.extent [%N ceildiv 64]
  tile.forall (%m) in [%M ceildiv 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %i = tile.iota dim 0 tile [64, 64] : tensor<64x64xi32>
    %j = tile.iota dim 1 tile [64, 64] : tensor<64x64xi32>
    %upper = arith.cmpi sle, %i, %j : tensor<64x64xi32>
    %one = tile.splat 1.0 [64, 64] : tensor<64x64xbf16>
    %zero = tile.splat 0.0 [64, 64] : tensor<64x64xbf16>
    %triangle = arith.select %upper, %one, %zero : tensor<64x64xi1>, tensor<64x64xbf16>
    %none = tile.splat 0.0 [64] : tensor<64xf32>
    %total = scf.for %n = %c0 to %blocks step %c1 iter_args(%carry = %none) -> tensor<64xf32> {
      %t = tile.load %x[%m, %n] tile [64, 64] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %before = tile.broadcast %carry dims [0] tile [64, 64] : tensor<64xf32> -> tensor<64x64xf32>
      %sums = tile.dot %t, %triangle, %before : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
      tile.store %sums, %y[%m, %n] : tensor<64x64xf32>, memref<?x?xf32>
      %f = arith.extf %t : tensor<64x64xbf16> to tensor<64x64xf32>
      %here = tile.reduce add %f dim 1 : tensor<64x64xf32> -> tensor<64xf32>
      %next = arith.addf %carry, %here : tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    }
  }
}
