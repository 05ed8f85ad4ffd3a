// RUN: tilec-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-layout{target=gfx942}))'

tile.program @integers<%M>(%x: memref<?x64xi8>, %y: memref<?x64xi32>) world 1 extents [%x: %M, 64] [%y: %M, 64] {
  tile.kernel @integers attributes {waves = 4 : i64} {
    tile.role @tiles {
      %c0 = arith.constant 0 : index
      %a = tile.load %x[%c0, %c0] tile [64, 64] : memref<?x64xi8> -> tensor<64x64xi8>
      %zero = tile.splat 0 [64, 64] : tensor<64x64xi32>
      // expected-error @+1 {{'tile.dot' op is not supported on gfx942: no matrix instruction multiplies i8 into i32}}
      %r = tile.dot %a, transpose %a, %zero : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
      tile.store %r, %y[%c0, %c0] : tensor<64x64xi32>, memref<?x64xi32>
    }
  }
}

// -----

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

tile.program @scalar<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @scalar attributes {waves = 4 : i64} {
    tile.role @tiles {
      %c0 = arith.constant 0 : index
      %a = tile.load %x[%c0] tile [64] : memref<?xf32> -> tensor<64xf32>
      // expected-error @+1 {{tile of type 'tensor<f32>' has no dimension, expected at least one in a kernel}}
      %s = tile.reduce add %a dim 0 : tensor<64xf32> -> tensor<f32>
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
