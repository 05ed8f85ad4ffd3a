tile.program @waves(%x: memref<64xf32>) world 1 {
  tile.kernel @k attributes {waves = 1152921504606846976 : i64} {
    tile.role @r {
    }
  }
}
