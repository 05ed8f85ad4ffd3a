// Streams that `lower` cannot print are errors at their place.
// RUN: tilec-opt %s --tile-lower=target=sm_90a --split-input-file --verify-diagnostics

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @uncounted<%M, %K>(%a: memref<?x?xbf16>, %c: memref<?x64xf32>) world 1 extents [%a: %M, %K] [%c: %M, 64] {
  tile.kernel @k attributes {shared_bytes = 40960 : i64, waves = 4 : i64} {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        %zero = arith.constant 0 : index
        %count = tile.extent [%K ceildiv 64]
        %full = tile.full slots 4 offset 64
        %ring = tile.shared_buffer at 1024 : memref<4x64x64xbf16, #s>
        %acc = tile.splat 0.0 [64, 64] : tensor<64x64xf32, #sums>
        tile.stream %count slots 4 ahead 3 fills {
        ^bb0(%k: index, %slot: index):
          // expected-error @below {{'tile.copy_async' op stands where slots are filled, expected copies that say so to a 'tile.full'}}
          tile.copy_async %a[%m, %k] -> %ring[%slot] : memref<?x?xbf16>, memref<4x64x64xbf16, #s>
          tile.next
        } uses {
        ^bb0(%k: index, %slot: index):
          tile.next
        }
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @nothing<%M, %K>(%a: memref<?x?xbf16>, %c: memref<?x64xf32>) world 1 extents [%a: %M, %K] [%c: %M, 64] {
  tile.kernel @k attributes {shared_bytes = 40960 : i64, waves = 4 : i64} {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        %zero = arith.constant 0 : index
        %count = tile.extent [%K ceildiv 64]
        %full = tile.full slots 4 offset 64
        %ring = tile.shared_buffer at 1024 : memref<4x64x64xbf16, #s>
        %acc = tile.splat 0.0 [64, 64] : tensor<64x64xf32, #sums>
        // expected-error @below {{'tile.stream' op fills nothing}}
        tile.stream %count slots 4 ahead 3 fills {
        ^bb0(%k: index, %slot: index):
          tile.next
        } uses {
        ^bb0(%k: index, %slot: index):
          tile.next
        }
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @early<%M, %K>(%a: memref<?x?xbf16>, %c: memref<?x64xf32>) world 1 extents [%a: %M, %K] [%c: %M, 64] {
  tile.kernel @k attributes {shared_bytes = 40960 : i64, waves = 4 : i64} {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        %zero = arith.constant 0 : index
        %count = tile.extent [%K ceildiv 64]
        %full = tile.full slots 4 offset 64
        %ring = tile.shared_buffer at 1024 : memref<4x64x64xbf16, #s>
        %acc = tile.splat 0.0 [64, 64] : tensor<64x64xf32, #sums>
        // expected-error @below {{'tile.dot_async' op makes sums that are used before a 'tile.await_products'}}
        %sum = tile.dot_async %ring[%zero], transpose %ring[%zero], %acc {instruction = "Wgmma64x64x16"} : memref<4x64x64xbf16, #s>, memref<4x64x64xbf16, #s>, tensor<64x64xf32, #sums>
        tile.store %sum, %c[%m, %zero] : tensor<64x64xf32, #sums>, memref<?x64xf32>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @unmade<%M, %K>(%a: memref<?x?xbf16>, %c: memref<?x64xf32>) world 1 extents [%a: %M, %K] [%c: %M, 64] {
  tile.kernel @k attributes {shared_bytes = 40960 : i64, waves = 4 : i64} {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        %zero = arith.constant 0 : index
        %count = tile.extent [%K ceildiv 64]
        %full = tile.full slots 4 offset 64
        %ring = tile.shared_buffer at 1024 : memref<4x64x64xbf16, #s>
        %acc = tile.splat 0.0 [64, 64] : tensor<64x64xf32, #sums>
        // expected-error @below {{'tile.await_products' op waits for sums that no 'tile.dot_async' makes}}
        %sum = tile.await_products %acc left 0 : tensor<64x64xf32, #sums>
        tile.store %sum, %c[%m, %zero] : tensor<64x64xf32, #sums>, memref<?x64xf32>
      }
    }
  }
}

// -----

tile.program @lonely<%M>(%a: memref<?x64xbf16>) world 1 extents [%a: %M, 64] {
  tile.kernel @k attributes {shared_bytes = 1024 : i64, waves = 4 : i64} {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        // expected-error @below {{'tile.empty' op stands in a kernel without a producer, expected '#tile.producer' there}}
        %empty = tile.empty slots 4 offset 64
      }
    }
  }
}

// -----

// The engine knows whole buffers, and the matrices of so many rows that one is made of.
#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @somewhere<%M, %K>(%a: memref<?x?xbf16>, %c: memref<?x64xf32>) world 1 extents [%a: %M * 2, %K] [%c: %M, 64] {
  tile.kernel @k attributes {shared_bytes = 40960 : i64, waves = 4 : i64} {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        %zero = arith.constant 0 : index
        %count = tile.extent [%K ceildiv 64]
        %full = tile.full slots 4 offset 64
        %ring = tile.shared_buffer at 1024 : memref<4x64x64xbf16, #s>
        %part = memref.subview %a[%m, 0] [%M, %K] [1, 1] : memref<?x?xbf16> to memref<?x?xbf16, strided<[?, 1], offset: ?>>
        tile.stream %count slots 4 ahead 3 fills {
        ^bb0(%k: index, %slot: index):
          // expected-error @below {{'tile.copy_async' op fills slots from a view that the copy engine does not know, expected an argument, scratch, or one of the matrices that such a buffer is made of}}
          tile.copy_async %part[%m, %k] -> %ring[%slot] full %full : memref<?x?xbf16, strided<[?, 1], offset: ?>>, memref<4x64x64xbf16, #s>
          tile.next
        } uses {
        ^bb0(%k: index, %slot: index):
          tile.next
        }
      }
    }
  }
}
