// RUN: tilec %s --world 1 --target gfx942 --emit=hip > %t.gfx942.hip && %generate --offload-arch=gfx942 %t.gfx942.hip
// RUN: %if full %{ tilec %s --world 1 --target gfx950 --emit=hip > %t.gfx950.hip && %generate --offload-arch=gfx950 %t.gfx950.hip %}
// RUN: for t in gfx942 sm_90a; do tilec run %s --world 1 --target $t --extents-from 1,7,100 --launches 3 --race || exit 1; done
// A vocabulary without words: every row is zero, and nothing is read.
// RUN: tilec run %s --world 1 --extent N=40,V=0,D=72

// The rows of a table for a list of tokens. ids: N numbers of rows; table: V x D; rows: N x D, bf16. A number that is negative or too
// large, as padding has it, gives a row of zeros.
tile.program @embedding<%N, %V, %D>(%ids: memref<?xi32>, %table: memref<?x?xbf16>, %rows: memref<?x?xbf16>)
    extents [%ids: %N] [%table: %V, %D] [%rows: %N, %D] indices [%ids: %V] {
  tile.forall (%n, %d) in [%N ceildiv 32, %D ceildiv 64] {
    %tokens = tile.load %ids[%n] tile [32] : memref<?xi32> -> tensor<32xi32>
    %t = tile.gather %table[each %tokens, %d] tile [32, 64] : memref<?x?xbf16>, tensor<32xi32> -> tensor<32x64xbf16>
    tile.store %t, %rows[%n, %d] : tensor<32x64xbf16>, memref<?x?xbf16>
  }
}
