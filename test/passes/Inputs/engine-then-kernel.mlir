tile.program @two<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>)
    extents [%a: %M, 64] [%x: W * %M, 64] [%c: W * %M, 64] attributes {pattern = #tile.pattern<specialized, copy_engine>} {
  %zero = arith.constant 0 : index
  tile.all_gather %a into %x dim 0 : memref<?x64xf32>, memref<?x64xf32, #tile.symmetric>
  tile.kernel @after {
    tile.role @copy {
      tile.forall (%i) in [(W * %M) ceildiv 32] {
        %t = tile.load %x[%i, %zero] tile [32, 64] : memref<?x64xf32, #tile.symmetric> -> tensor<32x64xf32>
        tile.store %t, %c[%i, %zero] : tensor<32x64xf32>, memref<?x64xf32>
      }
    }
  }
}
