// RUN: tilec-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

#s = #tile.shared<1, 1, 1>
tile.program @memory<%M>(%x: memref<64xf32>) world 1 extents [%x: 64] {
  tile.kernel @memory {
    tile.role @tiles {
      // expected-error @+1 {{'tile.shared_load' op addresses 'memref<64xf32>', expected a buffer in LDS}}
      %t = tile.shared_load %x : memref<64xf32> -> tensor<64xf32>
    }
  }
}

// -----

#s = #tile.shared<1, 1, 1>
tile.program @shape<%M>(%x: memref<64xf32>) world 1 extents [%x: 64] {
  tile.kernel @shape {
    tile.role @tiles {
      %c0 = arith.constant 0 : index
      %t = tile.splat 0.0 [64] : tensor<64xf32>
      %s = tile.shared_buffer : memref<2x32xf32, #s>
      // expected-error @+1 {{'tile.shared_store' op moves 'tensor<64xf32>' and a copy of 'memref<2x32xf32, #tile.shared<1, 1, 1>>', expected one shape and element type}}
      tile.shared_store %t, %s[%c0] : tensor<64xf32>, memref<2x32xf32, #s>
    }
  }
}

// -----

#s = #tile.shared<1, 1, 1>
tile.program @scratch<%M>(%x: memref<64xf32>) world 1 extents [%x: 64] {
  tile.kernel @scratch {
    tile.role @tiles {
      %t = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
      %s = tile.shared_buffer : memref<2x32xf32, #s>
      // expected-error @+1 {{'tile.reduce' op has scratch of type 'memref<2x32xf32, #tile.shared<1, 1, 1>>', expected partial results of type 'tensor<64xf32>' in LDS}}
      %r = tile.reduce add %t dim 1 scratch %s in memref<2x32xf32, #s> : tensor<64x64xf32> -> tensor<64xf32>
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 4>
tile.program @rows() {
  %t, %scratch = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<32x32xbf16, #s>)
  // expected-error-re @below {{'tile.rearrange' op sends {{.*}} through {{.*}}, expected a buffer in LDS of a part of its columns, or of its rows}}
  %r = tile.rearrange %t, %scratch : tensor<64x64xbf16, #sums>, memref<32x32xbf16, #s> -> tensor<64x64xbf16, #rows>
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 4>
tile.program @columns() {
  %t, %scratch = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<64x32xbf16, #s>)
  // expected-error-re @below {{'tile.rearrange' op cannot turn {{.*}} into {{.*}} by way of {{.*}}: registers alone do not tell its parts from each other}}
  %r = tile.rearrange %t, %scratch : tensor<64x64xbf16, #sums>, memref<64x32xbf16, #s> -> tensor<64x64xbf16, #rows>
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @rows_apart() {
  %t, %scratch = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<32x64xbf16, #s>)
  // expected-error-re @below {{'tile.rearrange' op cannot turn {{.*}} into {{.*}} by way of {{.*}}: registers alone do not tell its parts from each other}}
  %r = tile.rearrange %t, %scratch : tensor<64x64xbf16, #sums>, memref<32x64xbf16, #s> -> tensor<64x64xbf16, #rows>
}

// -----

#s = #tile.shared<1, 1, 1>
tile.program @over() {
  tile.kernel @over attributes {waves = 4} {
    tile.role @tiles {
      %below = tile.shared_buffer : memref<4x64xbf16, #s>
      // expected-error @below {{'tile.shared_buffer' op lies over 'memref<4x64xbf16, #tile.shared<1, 1, 1>>', expected a 'tile.shared_buffer' that is kept, with as many slots of as many bytes as 'memref<4x64xbf16, #tile.shared<1, 1, 1>>' has}}
      %s = tile.shared_buffer over %below : memref<4x64xbf16, #s> : memref<4x64xbf16, #s>
    }
  }
}

// -----

#s = #tile.shared<1, 1, 1>
tile.program @over() {
  tile.kernel @over attributes {waves = 4} {
    tile.role @tiles {
      %below = tile.shared_buffer kept : memref<4x64xbf16, #s>
      // expected-error @below {{'tile.shared_buffer' op lies over 'memref<4x64xbf16, #tile.shared<1, 1, 1>>', expected a 'tile.shared_buffer' that is kept, with as many slots of as many bytes as 'memref<2x128xbf16, #tile.shared<1, 1, 1>>' has}}
      %s = tile.shared_buffer over %below : memref<4x64xbf16, #s> : memref<2x128xbf16, #s>
    }
  }
}

// -----

#s = #tile.shared<1, 1, 1>
tile.program @over() {
  tile.kernel @over attributes {waves = 4} {
    tile.role @tiles {
      %below = tile.shared_buffer at 32 kept : memref<4x64xbf16, #s>
      // expected-error @below {{'tile.shared_buffer' op lies at another place than the buffer that it lies over}}
      %s = tile.shared_buffer at 16 over %below : memref<4x64xbf16, #s> : memref<4x64xbf16, #s>
    }
  }
}

// -----

// LDS has columns that are a power of two.
#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [8, 0], [0, 32], [0, 64]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 4>
tile.program @uneven() {
  %t, %scratch = "any.values"() : () -> (tensor<64x96xbf16, #sums>, memref<8x96xbf16, #s>)
  // expected-error-re @below {{'tile.rearrange' op sends {{.*}} through {{.*}}, expected a buffer in LDS of a part of its columns, or of its rows}}
  %r = tile.rearrange %t, %scratch : tensor<64x96xbf16, #sums>, memref<8x96xbf16, #s> -> tensor<64x96xbf16, #rows>
}
