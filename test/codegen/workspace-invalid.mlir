// Scratch whose size the host could not compute from the extents is rejected where it is declared.
// RUN: tilec-opt %s --tile-lower --verify-diagnostics

tile.program @size<%M>(%a: memref<?xf32>) world 1 extents [%a: %M] {
  %c8 = arith.constant 8 : index
  %n = arith.maxsi %M, %c8 : index
  // expected-error @below {{has a size that is no expression over extents}}
  %x = tile.alloc [%n] : memref<?xf32>
  tile.kernel @k {
  }
}
