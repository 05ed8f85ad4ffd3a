// Results that `lower` cannot leave to the next task are errors at their place.
// RUN: tilec-opt %s --tile-lower=target=sm_90a --split-input-file --verify-diagnostics

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @alone<%M>(%c: memref<?x64xbf16>) world 1 extents [%c: %M, 64] {
  tile.kernel @k attributes {shared_bytes = 16384 : i64, waves = 4 : i64} {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        %zero = arith.constant 0 : index
        %scratch = tile.shared_buffer at 1024 : memref<64x64xbf16, #s>
        %out = tile.splat 0.0 [64, 64] : tensor<64x64xbf16, #sums>
        tile.store_deferred
        // expected-error @below {{'tile.defer' op stands in a kernel without a producer, expected '#tile.producer' there}}
        tile.defer %out, %c[%m, %zero] through %scratch stored tensor<64x64xbf16, #rows> : tensor<64x64xbf16, #sums>, memref<?x64xbf16>, memref<64x64xbf16, #s>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @viewed<%M>(%c: memref<?x64xbf16>) world 1 extents [%c: %M, 64] {
  tile.kernel @k attributes {producer = #tile.producer<waves = 4, registers = 0, consumers = 0>, shared_bytes = 16384 : i64, waves = 4 : i64} {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        %zero = arith.constant 0 : index
        %scratch = tile.shared_buffer at 1024 : memref<64x64xbf16, #s>
        %out = tile.splat 0.0 [64, 64] : tensor<64x64xbf16, #sums>
        %part = memref.subview %c[%m, 0] [64, 64] [1, 1] : memref<?x64xbf16> to memref<64x64xbf16, strided<[64, 1], offset: ?>>
        tile.store_deferred
        // expected-error @below {{'tile.defer' op stores to a view that its task makes, expected one that all tasks share}}
        tile.defer %out, %part[%zero, %zero] through %scratch stored tensor<64x64xbf16, #rows> : tensor<64x64xbf16, #sums>, memref<64x64xbf16, strided<[64, 1], offset: ?>>, memref<64x64xbf16, #s>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @unmapped<%M>(%c: memref<?x64xbf16>) world 1 extents [%c: %M, 64] {
  %part = memref.subview %c[1, 0] [64, 64] [1, 1] : memref<?x64xbf16> to memref<64x64xbf16, strided<[64, 1], offset: 64>>
  tile.kernel @k attributes {producer = #tile.producer<waves = 4, registers = 0, consumers = 0>, shared_bytes = 16384 : i64, waves = 4 : i64} {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        %zero = arith.constant 0 : index
        %scratch = tile.shared_buffer at 1024 : memref<64x64xbf16, #s>
        %out = tile.splat 0.0 [64, 64] : tensor<64x64xbf16, #sums>
        tile.store_deferred
        // expected-error @below {{'tile.defer' op stores to a view that the copy engine does not know, expected an argument, or scratch of one copy}}
        tile.defer %out, %part[%m, %zero] through %scratch stored tensor<64x64xbf16, #rows> async : tensor<64x64xbf16, #sums>, memref<64x64xbf16, strided<[64, 1], offset: 64>>, memref<64x64xbf16, #s>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @at_once<%M>(%c: memref<?x64xbf16>) world 1 extents [%c: %M, 64] {
  %part = memref.subview %c[1, 0] [64, 64] [1, 1] : memref<?x64xbf16> to memref<64x64xbf16, strided<[64, 1], offset: 64>>
  tile.kernel @k attributes {producer = #tile.producer<waves = 4, registers = 0, consumers = 0>, shared_bytes = 16384 : i64, waves = 4 : i64} {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        %zero = arith.constant 0 : index
        %scratch = tile.shared_buffer at 1024 : memref<64x64xbf16, #s>
        %out = tile.splat 0.0 [64, 64] : tensor<64x64xbf16, #sums>
        // expected-error @below {{'tile.store_async' op stores to a view that the copy engine does not know, expected an argument, or scratch of one copy}}
        tile.store_async %out, %part[%m, %zero] through %scratch stored tensor<64x64xbf16, #rows> : tensor<64x64xbf16, #sums>, memref<64x64xbf16, strided<[64, 1], offset: 64>>, memref<64x64xbf16, #s>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @nobody<%M>(%c: memref<?x64xbf16>) world 1 extents [%c: %M, 64] {
  tile.kernel @k attributes {shared_bytes = 16384 : i64, waves = 4 : i64} {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        %zero = arith.constant 0 : index
        %scratch = tile.shared_buffer at 1024 : memref<64x64xbf16, #s>
        %out = tile.splat 0.0 [64, 64] : tensor<64x64xbf16, #sums>
        // expected-error @below {{'tile.store_async' op stands in a kernel without a producer, expected '#tile.producer' there}}
        tile.store_async %out, %c[%m, %zero] through %scratch stored tensor<64x64xbf16, #rows> : tensor<64x64xbf16, #sums>, memref<?x64xbf16>, memref<64x64xbf16, #s>
      }
    }
  }
}
