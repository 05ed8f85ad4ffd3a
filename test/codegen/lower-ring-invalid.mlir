// Rings that `lower` cannot print are errors at their place.
// RUN: tilec-opt %s --tile-lower --split-input-file --verify-diagnostics

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
#ab = #tile.layout<registers = [[0, 1], [0, 2], [0, 16]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], waves = []>
#sums = #tile.layout<registers = [[0, 1], [0, 2]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], waves = []>
#s = #tile.shared<8, 2, 4>
tile.program @deposits_a_splat<%M>(%a: memref<?x1024xbf16>, %c: memref<?x16xf32>) world 1 extents [%a: %M, 1024] [%c: %M, 16] {
  tile.kernel @k attributes {shared_bytes = 4096 : i64, waves = 1 : i64} {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 16] {
        %zero = arith.constant 0 : index
        %count = arith.constant 32 : index
        %lds = tile.shared_buffer at 128 : memref<2x16x32xbf16, #s>
        %acc = tile.splat 0.0 [16, 16] : tensor<16x16xf32, #sums>
        %t = tile.splat 0.0 [16, 32] : tensor<16x32xbf16, #rows>
        %other = tile.splat 1.0 [16, 32] : tensor<16x32xbf16, #rows>
        %read = tile.shared_load %lds[%zero] : memref<2x16x32xbf16, #s> -> tensor<16x32xbf16, #ab>
        %r:3 = tile.steps %count slots 2 carries(%acc, %read, %t : tensor<16x16xf32, #sums>, tensor<16x32xbf16, #ab>, tensor<16x32xbf16, #rows>) {
        ^bb0(%k: index, %slot: index, %sum: tensor<16x16xf32, #sums>, %part: tensor<16x32xbf16, #ab>, %ahead: tensor<16x32xbf16, #rows>):
          %p:3 = tile.places -> tensor<16x16xf32, #sums>, tensor<16x32xbf16, #ab>, tensor<16x32xbf16, #rows> {
            %product = tile.dot %part, transpose %part, %sum {instruction = "Mfma16x16x16"} : tensor<16x32xbf16, #ab>, tensor<16x32xbf16, #ab>, tensor<16x16xf32, #sums>
            %again = tile.shared_load %lds[%slot] : memref<2x16x32xbf16, #s> -> tensor<16x32xbf16, #ab>
            // expected-error @below {{'tile.shared_store' op fills a ring with what no 'tile.fetch' has fetched}}
            tile.shared_store %other, %lds[%slot] : tensor<16x32xbf16, #rows>, memref<2x16x32xbf16, #s>
            %more = tile.fetch %a[%m, %k] : memref<?x1024xbf16> -> tensor<16x32xbf16, #rows>
            tile.placed %product, %again, %more : tensor<16x16xf32, #sums>, tensor<16x32xbf16, #ab>, tensor<16x32xbf16, #rows>
          }
          tile.next %p#0, %p#1, %p#2 : tensor<16x16xf32, #sums>, tensor<16x32xbf16, #ab>, tensor<16x32xbf16, #rows>
        }
        tile.store %r#0, %c[%m, %zero] : tensor<16x16xf32, #sums>, memref<?x16xf32>
      }
    }
  }
}

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
#ab = #tile.layout<registers = [[0, 1], [0, 2], [0, 16]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], waves = []>
#sums = #tile.layout<registers = [[0, 1], [0, 2]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], waves = []>
#s = #tile.shared<8, 2, 4>
tile.program @hands_on_what_it_got<%M>(%a: memref<?x1024xbf16>, %c: memref<?x16xf32>) world 1 extents [%a: %M, 1024] [%c: %M, 16] {
  tile.kernel @k attributes {shared_bytes = 4096 : i64, waves = 1 : i64} {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 16] {
        %zero = arith.constant 0 : index
        %count = arith.constant 32 : index
        %lds = tile.shared_buffer at 128 : memref<2x16x32xbf16, #s>
        %acc = tile.splat 0.0 [16, 16] : tensor<16x16xf32, #sums>
        %t = tile.fetch %a[%m, %zero] : memref<?x1024xbf16> -> tensor<16x32xbf16, #rows>
        %read = tile.shared_load %lds[%zero] : memref<2x16x32xbf16, #s> -> tensor<16x32xbf16, #ab>
        %r:3 = tile.steps %count slots 2 carries(%acc, %read, %t : tensor<16x16xf32, #sums>, tensor<16x32xbf16, #ab>, tensor<16x32xbf16, #rows>) {
        ^bb0(%k: index, %slot: index, %sum: tensor<16x16xf32, #sums>, %part: tensor<16x32xbf16, #ab>, %ahead: tensor<16x32xbf16, #rows>):
          // expected-error @below {{'tile.places' op has results that the step does not hand on in their order}}
          %p:3 = tile.places -> tensor<16x16xf32, #sums>, tensor<16x32xbf16, #ab>, tensor<16x32xbf16, #rows> {
            %product = tile.dot %part, transpose %part, %sum {instruction = "Mfma16x16x16"} : tensor<16x32xbf16, #ab>, tensor<16x32xbf16, #ab>, tensor<16x16xf32, #sums>
            %again = tile.shared_load %lds[%slot] : memref<2x16x32xbf16, #s> -> tensor<16x32xbf16, #ab>
            tile.shared_store %ahead, %lds[%slot] : tensor<16x32xbf16, #rows>, memref<2x16x32xbf16, #s>
            %more = tile.fetch %a[%m, %k] : memref<?x1024xbf16> -> tensor<16x32xbf16, #rows>
            tile.placed %product, %again, %more : tensor<16x16xf32, #sums>, tensor<16x32xbf16, #ab>, tensor<16x32xbf16, #rows>
          }
          tile.next %p#0, %part, %p#2 : tensor<16x16xf32, #sums>, tensor<16x32xbf16, #ab>, tensor<16x32xbf16, #rows>
        }
        tile.store %r#0, %c[%m, %zero] : tensor<16x16xf32, #sums>, memref<?x16xf32>
      }
    }
  }
}

// -----

#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
#ab = #tile.layout<registers = [[0, 1], [0, 2], [0, 16]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], waves = []>
#sums = #tile.layout<registers = [[0, 1], [0, 2]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], waves = []>
#s = #tile.shared<8, 2, 4>
tile.program @hands_on_what_is_not_in_its_registers<%M>(%a: memref<?x1024xbf16>, %c: memref<?x16xf32>) world 1 extents [%a: %M, 1024] [%c: %M, 16] {
  tile.kernel @k attributes {shared_bytes = 4096 : i64, waves = 1 : i64} {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 16] {
        %zero = arith.constant 0 : index
        %count = arith.constant 32 : index
        %lds = tile.shared_buffer at 128 : memref<2x16x32xbf16, #s>
        %acc = tile.splat 0.0 [16, 16] : tensor<16x16xf32, #sums>
        %read = tile.shared_load %lds[%zero] : memref<2x16x32xbf16, #s> -> tensor<16x32xbf16, #ab>
        %t = tile.fetch %a[%m, %zero] : memref<?x1024xbf16> -> tensor<16x32xbf16, #rows>
        %r:3 = tile.steps %count slots 2 carries(%acc, %read, %t : tensor<16x16xf32, #sums>, tensor<16x32xbf16, #ab>, tensor<16x32xbf16, #rows>) {
        ^bb0(%k: index, %slot: index, %sum: tensor<16x16xf32, #sums>, %part: tensor<16x32xbf16, #ab>, %ahead: tensor<16x32xbf16, #rows>):
          tile.shared_store %ahead, %lds[%slot] : tensor<16x32xbf16, #rows>, memref<2x16x32xbf16, #s>
          tile.barrier
          // expected-error @below {{'tile.places' op is in a step that hands on what lies in other registers than it was carried in}}
          %p = tile.places -> tensor<16x16xf32, #sums> {
            %product = tile.dot %part, transpose %part, %sum {instruction = "Mfma16x16x16"} : tensor<16x32xbf16, #ab>, tensor<16x32xbf16, #ab>, tensor<16x16xf32, #sums>
            %twice = tile.dot %part, transpose %part, %product {instruction = "Mfma16x16x16"} : tensor<16x32xbf16, #ab>, tensor<16x32xbf16, #ab>, tensor<16x16xf32, #sums>
            tile.placed %twice : tensor<16x16xf32, #sums>
          }
          tile.next %p, %part, %ahead : tensor<16x16xf32, #sums>, tensor<16x32xbf16, #ab>, tensor<16x32xbf16, #rows>
        }
        tile.store %r#0, %c[%m, %zero] : tensor<16x16xf32, #sums>, memref<?x16xf32>
      }
    }
  }
}
