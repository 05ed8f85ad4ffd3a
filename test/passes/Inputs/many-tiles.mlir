// A task of many tiles, each in place.
tile.program @quad<%M, %N>(%a: memref<?x?xf32>) extents [%a: %M, %N] {
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %mm = tile.extent [%M ceildiv 8]
  tile.forall (%t) in [1] {
    scf.for %i = %z to %mm step %one {
      scf.for %j = %z to %N step %one {
      %u = tile.load %a[%i, %j] tile [8, 8] : memref<?x?xf32> -> tensor<8x8xf32>
      %w = arith.addf %u, %u : tensor<8x8xf32>
      tile.store %w, %a[%i, %j] : tensor<8x8xf32>, memref<?x?xf32>
      }
    }
  }
}
