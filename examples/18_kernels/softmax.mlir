tile.use "../lib/softmax.mlir"

// y = softmax(x) along rows of any length. x, y: M x N, bf16. One pass keeps the running maximum and sum, a second one writes.
tile.program @softmax<%M, %N>(%x: memref<?x?xbf16>, %y: memref<?x?xbf16>) extents [%x: %M, %N] [%y: %M, %N] {
  tile.param @BM in [1, 2, 4, 8, 16, 32, 64]
  tile.param @BN in [64, 128, 256, 512, 1024, 2048, 4096, 8192]
  %blocks = tile.extent [%N ceildiv @BN]
  tile.forall (%m) in [%M ceildiv @BM] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %inf = arith.constant 0xFF80 : bf16
    %low = tile.splat -1.0e30 [@BM] : tensor<?xf32>
    %none = tile.splat 0.0 [@BM] : tensor<?xf32>
    %max, %sum = scf.for %n = %c0 to %blocks step %c1 iter_args(%m0 = %low, %s0 = %none) -> (tensor<?xf32>, tensor<?xf32>) {
      %t = tile.load %x[%m, %n] tile [@BM, @BN] else %inf : bf16 : memref<?x?xbf16> -> tensor<?x?xbf16>
      %f = arith.extf %t : tensor<?x?xbf16> to tensor<?x?xf32>
      %m1, %s1, %e, %shrink = tile.call @add_columns<@BM, @BN>(%f, %m0, %s0) : (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?xf32>)
      scf.yield %m1, %s1 : tensor<?xf32>, tensor<?xf32>
    }
    scf.for %n = %c0 to %blocks step %c1 {
      %t = tile.load %x[%m, %n] tile [@BM, @BN] else %inf : bf16 : memref<?x?xbf16> -> tensor<?x?xbf16>
      %f = arith.extf %t : tensor<?x?xbf16> to tensor<?x?xf32>
      %mb = tile.broadcast %max dims [0] tile [@BM, @BN] : tensor<?xf32> -> tensor<?x?xf32>
      %sb = tile.broadcast %sum dims [0] tile [@BM, @BN] : tensor<?xf32> -> tensor<?x?xf32>
      %d = arith.subf %f, %mb : tensor<?x?xf32>
      %e = math.exp %d : tensor<?x?xf32>
      %p = arith.divf %e, %sb : tensor<?x?xf32>
      %out = arith.truncf %p : tensor<?x?xf32> to tensor<?x?xbf16>
      tile.store %out, %y[%m, %n] : tensor<?x?xbf16>, memref<?x?xbf16>
    }
  }
}
