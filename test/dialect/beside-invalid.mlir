// Kernels that run beside others, in the kernel form.
// RUN: tilec-opt %s --split-input-file --verify-diagnostics

tile.program @pool<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @aside attributes {beside} {
    // expected-error @below {{'tile.role' op stands in a kernel beside another one, expected workgroups of its own}}
    tile.role @send {
    }
  }
  tile.kernel @rest {
  }
}

// -----

tile.program @alone<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  // expected-error @below {{'tile.kernel' op runs beside another kernel, expected that one behind it}}
  tile.kernel @aside attributes {beside} {
    tile.role @send on 8 workgroups {
    }
  }
}

// -----

tile.program @own<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @aside attributes {beside} {
    tile.role @send on 8 workgroups {
    }
  }
  tile.kernel @rest {
    // expected-error @below {{'tile.role' op stands in a kernel that another one runs beside, expected that it takes what workgroups the other leaves}}
    tile.role @multiply on 8 workgroups {
    }
  }
}
