// What `lower` cannot do is an error at its place.
// RUN: tilec-opt %s --tile-lower --split-input-file --verify-diagnostics

tile.program @no_layout<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] world 1 {
  tile.kernel @k {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        // expected-error @below {{tile 'tensor<64xf32>' has no layout}}
        %t = tile.load %a[%m] tile [64] : memref<?xf32> -> tensor<64xf32>
        tile.store %t, %b[%m] : tensor<64xf32>, memref<?xf32>
      }
    }
  }
}

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
tile.program @kind<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] world 1 {
  tile.kernel @k {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        %t = tile.load %a[%m] tile [64] : memref<?xf32> -> tensor<64xf32, #row>
        // expected-error @below {{combines by maximum, but the text has atomics of 'add' alone}}
        tile.atomic maximum %t, %b[%m] : tensor<64xf32, #row>, memref<?xf32>
      }
    }
  }
}

// -----

tile.program @statement<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] world 1 {
  // expected-error @below {{stands outside a 'tile.kernel', expected the kernel form}}
  tile.forall (%m) in [%M ceildiv 64] {
    %t = tile.load %a[%m] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %b[%m] : tensor<64xf32>, memref<?xf32>
  }
}

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
tile.program @no_offset<%M>(%a: memref<?xf32>) extents [%a: %M] world 1 {
  tile.kernel @k {
    tile.role @r {
      // expected-error @below {{has no offset in LDS}}
      %s = tile.shared_buffer : memref<64xf32, #tile.shared<1, 1, 1>>
      tile.forall (%m) in [%M ceildiv 64] {
        %t = tile.load %a[%m] tile [64] : memref<?xf32> -> tensor<64xf32, #row>
        tile.shared_store %t, %s : tensor<64xf32, #row>, memref<64xf32, #tile.shared<1, 1, 1>>
      }
    }
  }
}

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
#other = #tile.layout<registers = [], lanes = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], waves = []>
tile.program @rename<%M>(%a: memref<?xf32>, %b: memref<?x8xf32>) extents [%a: %M] [%b: %M, 8] world 1 {
  tile.kernel @k {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        %t = tile.load %a[%m] tile [64] : memref<?xf32> -> tensor<64xf32, #row>
        // expected-error @below {{moves elements between threads}}
        %s = tile.reshape %t tile [8, 8] : tensor<64xf32, #row> -> tensor<8x8xf32, #other>
      }
    }
  }
}
