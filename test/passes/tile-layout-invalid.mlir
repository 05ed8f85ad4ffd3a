// RUN: tilec-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-layout{target=gfx942}))'

tile.program @early<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  // expected-error @+1 {{'tile.kernel' op has no number of waves, expected it after 'partition'}}
  tile.kernel @early {
    tile.role @tiles {
    }
  }
}

// -----

tile.program @two_sides(%x: memref<96x224xf32>) world 1 {
  tile.kernel @two_sides attributes {waves = 4 : i64} {
    tile.role @tiles {
      %c0 = arith.constant 0 : index
      // expected-error @+1 {{tile of type 'tensor<96x224xf32>', expected sides that are powers of two up to 65536; of a tile of one or two dimensions, one side may be another multiple of 8}}
      %a = tile.load %x[%c0, %c0] tile [96, 224] : memref<96x224xf32> -> tensor<96x224xf32>
    }
  }
}

// -----

tile.program @reshaped(%x: memref<64x96xf32>) world 1 {
  tile.kernel @reshaped attributes {waves = 4 : i64} {
    tile.role @tiles {
      %c0 = arith.constant 0 : index
      %a = tile.load %x[%c0, %c0] tile [64, 96] : memref<64x96xf32> -> tensor<64x96xf32>
      // expected-error @+1 {{'tile.reshape' op makes 'tensor<96x64xf32>' of 'tensor<64x96xf32>', expected sides that are powers of two}}
      %b = tile.reshape %a tile [96, 64] : tensor<64x96xf32> -> tensor<96x64xf32>
    }
  }
}

// -----

tile.program @products(%x: memref<64x16xi32>, %y: memref<96x16xi32>) world 1 {
  tile.kernel @products attributes {waves = 4 : i64} {
    tile.role @tiles {
      %c0 = arith.constant 0 : index
      %a = tile.load %x[%c0, %c0] tile [64, 16] : memref<64x16xi32> -> tensor<64x16xi32>
      %b = tile.load %y[%c0, %c0] tile [96, 16] : memref<96x16xi32> -> tensor<96x16xi32>
      %zero = tile.splat 0 [64, 96] : tensor<64x96xi32>
      // expected-error @+1 {{'tile.dot' op multiplies 'tensor<64x16xi32>' and 'tensor<96x16xi32>' without a matrix instruction, expected sides that are powers of two: no matrix instruction multiplies i32 into i32}}
      %c = tile.dot %a, transpose %b, %zero : tensor<64x16xi32>, tensor<96x16xi32>, tensor<64x96xi32>
    }
  }
}
