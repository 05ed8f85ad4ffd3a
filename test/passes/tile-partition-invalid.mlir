// RUN: tilec-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-partition))'

tile.program @three<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  // expected-error @+1 {{'tile.kernel' op has 3 waves, expected a power of two up to 16}}
  tile.kernel @three attributes {waves = 3 : i64} {
    tile.role @nothing {
    }
  }
}

// -----

// expected-error @+1 {{no target 'gfx000' in}}
tile.program @unknown<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] attributes {target = "gfx000"} {
}
