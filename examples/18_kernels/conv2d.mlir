// A convolution of 3 x 3 with zeros around the image, bias and ReLU. x: B x H x Wd x C; weights: 3 x 3 x C x F; y: B x H x Wd x F, bf16.
// A task computes a run of pixels of one image row: nine products, each of the row above, this one or the one below, moved by a pixel.
tile.program @conv2d<%B, %H, %Wd, %C, %F>(%x: memref<?x?x?x?xbf16>, %weights: memref<3x3x?x?xbf16>, %bias: memref<?xf32>, %y: memref<?x?x?x?xbf16>)
    extents [%x: %B, %H, %Wd, %C] [%weights: 3, 3, %C, %F] [%bias: %F] [%y: %B, %H, %Wd, %F] {
  tile.param @BP in [32, 64]
  tile.param @BF in [32, 64]
  tile.param @BC in [32]
  %pixels = tile.extent [@BP]
  %channels = tile.extent [@BC]
  %blocks = tile.extent [%C ceildiv @BC]
  tile.forall (%b, %h, %w, %f) in [%B, %H, %Wd ceildiv @BP, %F ceildiv @BF] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %left = arith.muli %w, %pixels : index
    %none = tile.splat 0.0 [@BP, @BF] : tensor<?x?xf32>
    %sum = scf.for %r = %c0 to %c3 step %c1 iter_args(%s0 = %none) -> tensor<?x?xf32> {
      %down = arith.subi %r, %c1 : index
      %row = arith.addi %h, %down : index
      %of_row = scf.for %s = %c0 to %c3 step %c1 iter_args(%s1 = %s0) -> tensor<?x?xf32> {
        %right = arith.subi %s, %c1 : index
        %column = arith.addi %left, %right : index
        %of_tap = scf.for %c = %c0 to %blocks step %c1 iter_args(%s2 = %s1) -> tensor<?x?xf32> {
          %channel = arith.muli %c, %channels : index
          %xt = tile.load %x at (%b, %row, %column, %channel) tile [@BP, @BC] : memref<?x?x?x?xbf16> -> tensor<?x?xbf16>
          %wt = tile.load %weights[%r, %s, %c, %f] tile [@BC, @BF] : memref<3x3x?x?xbf16> -> tensor<?x?xbf16>
          %next = tile.dot %xt, %wt, %s2 : tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?x?xf32>
          scf.yield %next : tensor<?x?xf32>
        }
        scf.yield %of_tap : tensor<?x?xf32>
      }
      scf.yield %of_row : tensor<?x?xf32>
    }
    %bt = tile.load %bias[%f] tile [@BF] : memref<?xf32> -> tensor<?xf32>
    %bb = tile.broadcast %bt dims [1] tile [@BP, @BF] : tensor<?xf32> -> tensor<?x?xf32>
    %biased = arith.addf %sum, %bb : tensor<?x?xf32>
    %relu = arith.maximumf %biased, %none : tensor<?x?xf32>
    %out = arith.truncf %relu : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %out, %y[%b, %h, %w, %f] : tensor<?x?xbf16>, memref<?x?x?x?xbf16>
  }
}
