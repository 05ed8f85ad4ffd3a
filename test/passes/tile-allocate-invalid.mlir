// RUN: tilec-opt %s --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-allocate{target=gfx942}))'

tile.program @large<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  // expected-error @+1 {{'tile.kernel' op needs 131072 bytes of LDS, expected at most 65536 on gfx942}}
  tile.kernel @large attributes {waves = 4 : i64} {
    tile.role @tiles {
      // expected-note @+1 {{131072 bytes for 'memref<128x256xf32, #tile.shared<1, 1, 1>>' at 0, where a tile of 16384 elements fits}}
      %s = tile.shared_buffer : memref<128x256xf32, #tile.shared<1, 1, 1>>
    }
  }
}
