// A note of `verify` that somebody has changed so that it is of another program. `check` and the manifest took the numbers for positions.
// RUN: tilec-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{verified on 0 launches, expected at least 1}}
tile.program @never() world 1 attributes {verified = #tile.verified<launches = 0, samples = []>} {
}

// -----

// expected-error@+1 {{counts fewer than 0 operations}}
tile.program @fewer() world 1 attributes {verified = #tile.verified<launches = 3, samples = [], written_once = -1>} {
}

// -----

// expected-error@+1 {{'drawns' is no part of what was verified}}
tile.program @misspelt() world 1 attributes {verified = #tile.verified<launches = 3, samples = [], drawns = [0]>} {
}

// -----

// expected-error@+1 {{was verified with samples of other extents, expected one number for each of 2}}
tile.program @samples<%M, %N>(%x: memref<?x?xf32>) world 1 extents [%x: %M, %N] attributes {verified = #tile.verified<launches = 3, samples = [[200]]>} {
}

// -----

// expected-error@+1 {{was verified with samples of other extents, expected one number for each of 1}}
tile.program @limits<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] attributes {verified = #tile.verified<launches = 3, samples = [[200]], limits = [200, 3]>} {
}

// -----

// expected-error@+1 {{was verified as a program with other extents or arguments}}
tile.program @any<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] attributes {verified = #tile.verified<launches = 3, samples = [[200]], any = [1]>} {
}

// -----

// expected-error@+1 {{was verified as a program with other extents or arguments}}
tile.program @drawn<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] attributes {verified = #tile.verified<launches = 3, samples = [[200]], drawn = [1]>} {
}

// -----

// expected-error@+1 {{was verified as a program with other extents or arguments}}
tile.program @zeros<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] attributes {verified = #tile.verified<launches = 3, samples = [[200]], nonzero = [[0], [-1]]>} {
}

// -----

// expected-error@+1 {{was verified as a program with other extents or arguments}}
tile.program @ends<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] attributes {verified = #tile.verified<launches = 3, samples = [[200]], greatest = affine_map<()[s0] -> (s0 * 7)>>} {
}
