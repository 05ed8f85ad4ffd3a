// RUN: tilec run %s --world 2 --shuffle --race

// What lies outside of a view is not kept, and the emulator does not read it: the first element of the view stood for it,
// which nobody had waited for.
tile.program @outside<%N>(%y: memref<?x33xbf16, #tile.symmetric>, %x: memref<?x?xbf16, #tile.symmetric>)
    extents [%y: %N, 33] [%x: %N, W * 33] {
  tile.reduce_scatter %x into %y dim 1 tiles [8, 64] : memref<?x?xbf16, #tile.symmetric>, memref<?x33xbf16, #tile.symmetric>
}
