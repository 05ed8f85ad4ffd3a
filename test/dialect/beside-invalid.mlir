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

// -----

tile.program @nothing<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  // expected-error @below {{'tile.kernel' op runs beside another kernel, expected roles with workgroups of their own}}
  tile.kernel @aside attributes {beside} {
  }
  tile.kernel @rest {
    tile.role @multiply {
    }
  }
}

// -----

tile.program @behind<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @aside attributes {beside} {
    tile.role @send on 8 workgroups {
    }
  }
  // expected-error @below {{'tile.kernel' op has no role, expected one with the workgroups that the kernel beside leaves}}
  tile.kernel @rest {
  }
}

// -----

tile.program @one_kind<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  // expected-error @below {{'tile.kernel' op is 'apart', expected roles with workgroups of their own and roles with what these leave}}
  tile.kernel @all attributes {apart} {
    tile.role @send on 8 workgroups {
    }
    tile.role @leave last {
    }
  }
}

// -----

tile.program @engine<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @all attributes {apart} {
    // expected-error @below {{'tile.role' op is the copy engine's, expected a kernel that is not 'apart'}}
    tile.role @send on 1 workgroups attributes {engine} {
    }
    tile.role @multiply {
    }
  }
}
