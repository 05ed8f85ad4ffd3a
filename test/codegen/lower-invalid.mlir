// What `lower` cannot do is an error at its place.
// RUN: tilec-opt %s --tile-lower --split-input-file --verify-diagnostics

tile.program @no_layout<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 1 extents [%a: %M] [%b: %M] {
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

tile.program @statement<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 1 extents [%a: %M] [%b: %M] {
  // expected-error @below {{stands outside a 'tile.kernel', expected the kernel form}}
  tile.forall (%m) in [%M ceildiv 64] {
    %t = tile.load %a[%m] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %b[%m] : tensor<64xf32>, memref<?xf32>
  }
}

// -----

tile.program @no_count<%M>(%a: memref<?xf32>) world 1 extents [%a: %M] {
  tile.kernel @k {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        // expected-error @below {{'tile.await' op has no count yet, expected 'count' to have said what it leaves}}
        tile.await
      }
    }
  }
}

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
tile.program @no_offset<%M>(%a: memref<?xf32>) world 1 extents [%a: %M] {
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
tile.program @rename<%M>(%a: memref<?xf32>, %b: memref<?x8xf32>) world 1 extents [%a: %M] [%b: %M, 8] {
  tile.kernel @k {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        %t = tile.load %a[%m] tile [64] : memref<?xf32> -> tensor<64xf32, #row>
        // expected-error @below {{moves elements between threads: got 'tensor<64xf32, #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>>' to 'tensor<8x8xf32, #tile.layout<registers = [], lanes = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], waves = []>>', expected layouts that correspond}}
        %s = tile.reshape %t tile [8, 8] : tensor<64xf32, #row> -> tensor<8x8xf32, #other>
      }
    }
  }
}

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
tile.program @unknown_dimension<%M>(%a: memref<?x4xf32>) world 1 extents [%a: %M, 4] {
  tile.kernel @k {
    tile.role @r {
      tile.forall (%m) in [%M] {
        // expected-error @below {{asks for a dimension that is not known}}
        %d = memref.dim %a, %m : memref<?x4xf32>
      }
    }
  }
}

// -----

#row = #tile.layout<registers = [], lanes = [[1], [2], [4], [8], [16], [32]], waves = []>
tile.program @not_shared<%M>(%a: memref<?xf32>) world 1 extents [%a: %M] {
  tile.kernel @k {
    tile.role @r {
      %s = tile.shared_buffer at 128 : memref<64xf32, #tile.shared<1, 1, 1>>
      %v = memref.subview %s[0] [64] [1] : memref<64xf32, #tile.shared<1, 1, 1>> to memref<64xf32, #tile.shared<1, 1, 1>>
      tile.forall (%m) in [%M ceildiv 64] {
        %t = tile.load %a[%m] tile [64] : memref<?xf32> -> tensor<64xf32, #row>
        // expected-error @below {{addresses 'memref<64xf32, #tile.shared<1, 1, 1>>', expected the result of a 'tile.shared_buffer' in LDS}}
        tile.shared_store %t, %v : tensor<64xf32, #row>, memref<64xf32, #tile.shared<1, 1, 1>>
      }
    }
  }
}

// -----

tile.program @selected_in_a_kernel<%M>(%a: memref<?xf32>) world 1 extents [%a: %M] {
  // expected-error @below {{is not known to 'lower'}}
  %one = tile.signals [%M] : !tile.signals<1>
  %two = tile.signals [%M] : !tile.signals<1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%m) in [%M] {
        %first = arith.cmpi eq, %m, %m : index
        %any = arith.select %first, %one, %two : !tile.signals<1>
        %w = tile.wait agent %any[%m] : !tile.signals<1>
      }
    }
  }
}

// -----

tile.program @selected<%M>(%a: memref<?xf32>) world 1 extents [%a: %M] {
  %one = tile.signals [%M] : !tile.signals<1>
  %two = tile.signals [%M] : !tile.signals<1>
  %first = arith.cmpi eq, %M, %M : index
  %any = arith.select %first, %one, %two : !tile.signals<1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%m) in [%M] {
        // expected-error @below {{names signals that the program does not declare}}
        %w = tile.wait agent %any[%m] : !tile.signals<1>
      }
    }
  }
}

// -----

tile.program @computed<%M>(%a: memref<?xf32>) world 1 extents [%a: %M] {
  %c3 = arith.constant 3 : index
  %n = arith.remui %M, %c3 : index
  // expected-error @below {{has a size that is no expression over extents}}
  %s = tile.alloc [%n] : memref<?xf32>
}

// -----

tile.program @crowd<%M>(%a: memref<?xf32>) world 1 extents [%a: %M] {
  // expected-error @below {{has 9 groups of workgroups, expected at most 8}}
  tile.kernel @k {
    tile.role @r0 on 1 workgroups {}
    tile.role @r1 on 1 workgroups {}
    tile.role @r2 on 1 workgroups {}
    tile.role @r3 on 1 workgroups {}
    tile.role @r4 on 1 workgroups {}
    tile.role @r5 on 1 workgroups {}
    tile.role @r6 on 1 workgroups {}
    tile.role @r7 on 1 workgroups {}
    tile.role @r8 on 1 workgroups {}
  }
}

// -----

tile.program @misfit<%M>(%a: memref<?xf32>) world 1 extents [%a: %M] {
  tile.kernel @k {
    tile.role @r {
      // The map has said which tile a number means: the text had no windows.
      // expected-error @below {{has an order step #tile.grouped<2> that does not fit its grid of rank 2}}
      tile.forall (%m, %n) in [%M, 4] order [#tile.mapped<(d0) -> (d0 floordiv 4, d0 mod 4)>, #tile.grouped<2>] {
      }
    }
  }
}

// -----

tile.program @twofold<%M>(%a: memref<?xf32>) world 1 extents [%a: %M] {
  tile.kernel @k {
    tile.role @r {
      // expected-error @below {{has an order with 2 results, expected 1 or 1}}
      tile.forall (%m) in [%M] order [#tile.mapped<(d0) -> (d0, d0)>] {
      }
    }
  }
}

// -----

tile.program @tokens<%M>(%a: memref<?xf32>) world 1 extents [%a: %M] {
  %s = tile.signals [%M] : !tile.signals<1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%m) in [%M] {
        %x = tile.wait agent %s[%m] : !tile.signals<1>
        %y = tile.wait agent %s[%m] : !tile.signals<1>
        %first = arith.cmpi eq, %m, %m : index
        // expected-error @below {{uses a value of type '!tile.token' that the kernel cannot compute}}
        %any = arith.select %first, %x, %y : !tile.token
      }
    }
  }
}
