// RUN: tilec-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-count{target=gfx950}))'
#s = #tile.shared<8, 2, 4>
tile.program @slot<%M, %K>(%a: memref<?x?xbf16>) extents [%a: %M, %K] {
  tile.kernel @slot attributes {waves = 1} {
    tile.role @multiply {
      tile.forall (%m) in [%M ceildiv 16] {
        %lds = tile.shared_buffer : memref<4x16x32xbf16, #s>
        // expected-error @below {{'tile.copy_async' op fills a slot whose number does not follow from that of a step, expected one that does: else no wait for it can be counted}}
        tile.copy_async %a[%m, %m] -> %lds[%m] : memref<?x?xbf16>, memref<4x16x32xbf16, #s>
        tile.await
      }
    }
  }
}
