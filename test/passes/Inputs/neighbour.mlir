// An inbox that only one neighbour writes and nobody answers: its writer needs a credit.
tile.program @neighbour<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%c: %M, 64] {
  %inbox = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.shift %a into %inbox by 1 : memref<?x64xf32>, memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) in [%M ceildiv 32, 2] {
    %t = tile.load %inbox[%m, %n] tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}
