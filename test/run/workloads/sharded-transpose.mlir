// RUN: tilec %s --world 4 --target gfx942 --emit=hip > %t.gfx942.hip && %generate --offload-arch=gfx942 %t.gfx942.hip
// RUN: %if full %{ tilec %s --world 4 --target gfx950 --emit=hip > %t.gfx950.hip && %generate --offload-arch=gfx950 %t.gfx950.hip %}
// RUN: for w in $(%some 1 2 4 3); do tilec run %s --world $w --extents-from 7,40 --launches 2 || exit 1; done

// y = transpose(x), both with their rows spread over the ranks. x: M rows of W * N on each rank; y: N rows of W * M; f32.
// The tile at (row m, column block n of rank r) goes straight to rank r.
tile.program @sharded_transpose<%M, %N>(%x: memref<?x?xf32>, %y: memref<?x?xf32, #tile.symmetric>)
    extents [%x: %M, W * %N] [%y: %N, W * %M] {
  %rank = tile.rank
  tile.forall (%r, %m, %n) in [W, %M ceildiv 32, %N ceildiv 32] {
    %first = arith.muli %r, %N : index
    %from = memref.subview %x[0, %first] [%M, %N] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    %t = tile.load %from[%m, %n] tile [32, 32] : memref<?x?xf32, strided<[?, 1], offset: ?>> -> tensor<32x32xf32>
    %u = tile.transpose %t [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
    %column = arith.muli %rank, %M : index
    %to = memref.subview %y[0, %column] [%N, %M] [1, 1] : memref<?x?xf32, #tile.symmetric> to memref<?x?xf32, strided<[?, 1], offset: ?>, #tile.symmetric>
    tile.store %u, %to[%n, %m] to %r : tensor<32x32xf32>, memref<?x?xf32, strided<[?, 1], offset: ?>, #tile.symmetric>
  }
}
