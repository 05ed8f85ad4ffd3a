#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32]], waves = [[64], [128], [256]]>
tile.program @waves_of_32<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] attributes {target = "gfx942"} {
  tile.kernel @waves_of_32 attributes {shared_bytes = 64 : i64, waves = 4 : i64} {
    tile.role @tiles {
      %z = arith.constant 0 : index
      %t = tile.splat 0.0 [512] : tensor<512xf32, #l>
      tile.store %t, %x[%z] : tensor<512xf32, #l>, memref<?xf32>
    }
  }
}
