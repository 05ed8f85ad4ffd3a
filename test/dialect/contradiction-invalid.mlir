// A header whose conditions contradict each other: the message named extents that nobody had given, and another condition on each machine.
// RUN: tilec-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{takes no launch: no extents meet '%M == 3' and '%M == 4'}}
tile.program @two<%M>(%x: memref<?xf32>) extents [%x: %M] where %M == 3, %M == 4 {
  %n = tile.extent [%M]
}

// -----

// Only those that take part are named.
// expected-error@+1 {{takes no launch: no extents meet '%M <= 3' and '%N <= %M' and '%N == 5'}}
tile.program @three<%M, %N, %K>(%x: memref<?x?xf32>) extents [%x: %M, %N] where %K mod 8 == 0, %M <= 3, %N <= %M, %K <= 64, %N == 5 {
  %n = tile.extent [%M]
}

// -----

// expected-error@+1 {{takes no launch: no extents meet '%M mod 8 == 0' and '%M mod 16 == 4'}}
tile.program @remainders<%M>(%x: memref<?xf32>) extents [%x: %M] where %M mod 8 == 0, %M mod 16 == 4 {
  %n = tile.extent [%M]
}

// -----

// With the number of ranks as it is known.
// expected-error@+1 {{takes no launch: no extents meet '%M == 3' and 'W <= %M' with W = 4}}
tile.program @ranks<%M>(%x: memref<?xf32>) world 4 extents [%x: %M] where %M == 3, W <= %M {
  %n = tile.extent [%M]
}

// -----

// Without it, a launch of three ranks is taken.
tile.program @some<%M>(%x: memref<?xf32>) extents [%x: %M] where %M == 3, W <= %M {
  %n = tile.extent [%M]
}
