// RUN: tilec-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-layout{target=gfx942}))'

tile.program @odd<%M>(%x: memref<?x64xf32>) world 1 extents [%x: %M, 64] {
  tile.kernel @odd attributes {waves = 4 : i64} {
    tile.role @tiles {
      %c0 = arith.constant 0 : index
      // expected-error @+1 {{tile of type 'tensor<65536x1xf32>', expected extents that are powers of two up to 32768}}
      %a = tile.load %x[%c0, %c0] tile [65536, 1] : memref<?x64xf32> -> tensor<65536x1xf32>
    }
  }
}

// -----

tile.program @early<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  // expected-error @+1 {{'tile.kernel' op has no number of waves, expected it after 'partition'}}
  tile.kernel @early {
    tile.role @tiles {
    }
  }
}
