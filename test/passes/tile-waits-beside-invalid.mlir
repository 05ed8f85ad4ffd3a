// Signals are derived within a kernel, before `partition` makes two of it.
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1},tile-waits))' --verify-diagnostics

tile.program @pool<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  // expected-error @below {{'tile.kernel' op runs beside another kernel before waits are derived, expected the roles of both in one kernel with the attribute 'apart'}}
  tile.kernel @aside attributes {beside} {
    tile.role @send on 8 workgroups {
    }
  }
  tile.kernel @rest {
    tile.role @multiply {
    }
  }
}
