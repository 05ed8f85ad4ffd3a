// Attention forward, 128 columns a head, every row sees every key: as the kernel of Triton's tutorial, whose T is a multiple of its tiles.
// q, k, v, o: H x T x 128, bf16. The scale is log2(e) / sqrt(128).
tile.program @attention<%H, %T>(%q: memref<?x?x128xbf16>, %k: memref<?x?x128xbf16>, %v: memref<?x?x128xbf16>, %o: memref<?x?x128xbf16>)
    extents [%q: %H, %T, 128] [%k: %H, %T, 128] [%v: %H, %T, 128] [%o: %H, %T, 128] {
  tile.param @BM in [256, 128, 64]
  tile.param @BN in [64, 32]
  %blocks = tile.extent [%T floordiv @BN]
  tile.forall (%h, %m) in [%H, %T ceildiv @BM] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %qt = tile.load %q[%h, %m, %c0] tile [@BM, 128] : memref<?x?x128xbf16> -> tensor<?x128xbf16>
    %low = tile.splat -1.0e30 [@BM] : tensor<?xf32>
    %none = tile.splat 0.0 [@BM] : tensor<?xf32>
    %nothing = tile.splat 0.0 [@BM, 128] : tensor<?x128xf32>
    %no_scores = tile.splat 0.0 [@BM, @BN] : tensor<?x?xf32>
    %scale_of_row = tile.splat 0.12751742 [@BM] : tensor<?xf32>
    %scale = tile.splat 0.12751742 [@BM, @BN] : tensor<?x?xf32>
    %max, %sum, %acc = scf.for %n = %c0 to %blocks step %c1 iter_args(%m0 = %low, %s0 = %none, %a0 = %nothing) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x128xf32>) {
      %kt = tile.load %k[%h, %n, %c0] tile [@BN, 128] : memref<?x?x128xbf16> -> tensor<?x128xbf16>
      %vt = tile.load %v[%h, %n, %c0] tile [@BN, 128] : memref<?x?x128xbf16> -> tensor<?x128xbf16>
      %dots = tile.dot %qt, transpose %kt, %no_scores : tensor<?x128xbf16>, tensor<?x128xbf16>, tensor<?x?xf32>
      %largest = tile.reduce maximum %dots dim 1 : tensor<?x?xf32> -> tensor<?xf32>
      %here = arith.mulf %largest, %scale_of_row : tensor<?xf32>
      %m1 = arith.maximumf %m0, %here : tensor<?xf32>
      %scores = arith.mulf %dots, %scale : tensor<?x?xf32>
      %mb = tile.broadcast %m1 dims [0] tile [@BM, @BN] : tensor<?xf32> -> tensor<?x?xf32>
      %d = arith.subf %scores, %mb : tensor<?x?xf32>
      %p = math.exp2 %d : tensor<?x?xf32>
      %part = tile.reduce add %p dim 1 : tensor<?x?xf32> -> tensor<?xf32>
      %dm = arith.subf %m0, %m1 : tensor<?xf32>
      %shrink = math.exp2 %dm : tensor<?xf32>
      %old = arith.mulf %s0, %shrink : tensor<?xf32>
      %s1 = arith.addf %old, %part : tensor<?xf32>
      %shrink_b = tile.broadcast %shrink dims [0] tile [@BM, 128] : tensor<?xf32> -> tensor<?x128xf32>
      %shrunk = arith.mulf %a0, %shrink_b : tensor<?x128xf32>
      %weights = arith.truncf %p : tensor<?x?xf32> to tensor<?x?xbf16>
      %a1 = tile.dot %weights, %vt, %shrunk : tensor<?x?xbf16>, tensor<?x128xbf16>, tensor<?x128xf32>
      scf.yield %m1, %s1, %a1 : tensor<?xf32>, tensor<?xf32>, tensor<?x128xf32>
    }
    %sum_b = tile.broadcast %sum dims [0] tile [@BM, 128] : tensor<?xf32> -> tensor<?x128xf32>
    %mean = arith.divf %acc, %sum_b : tensor<?x128xf32>
    %out = arith.truncf %mean : tensor<?x128xf32> to tensor<?x128xbf16>
    tile.store %out, %o[%h, %m, %c0] : tensor<?x128xbf16>, memref<?x?x128xbf16>
  }
}
