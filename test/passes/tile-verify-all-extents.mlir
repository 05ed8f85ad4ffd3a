// RUN: tilec-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-verify))'

// Indices that leave their bounds only beyond every sample: found for all extents at once, with the least extents.

// One word too few, from the 30th tile on.
tile.program @off_by_one<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 1 extents [%a: %M] [%b: %M] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{the grid is declared here}}
  %sent = tile.signals [30] : !tile.signals<1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [%M ceildiv 64] {
        // expected-error @below {{raises index 30 in dimension 0 of a grid of size 30, in task (30) of role @r on rank 0, with M=1921}}
        tile.signal agent %sent[%i] to %zero : !tile.signals<1>
      }
    }
  }
}

// -----

// The grid has a word for each whole tile: one too few wherever a part is left. A sample shows it.
tile.program @ceildiv_against_floordiv<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 1 extents [%a: %M] [%b: %M] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{the grid is declared here}}
  %sent = tile.signals [(%M + 5000) floordiv 40] : !tile.signals<1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [(%M + 5000) ceildiv 40] {
        // expected-error @below {{raises index 128 in dimension 0 of a grid of size 128, in task (128) of role @r on rank 0}}
        tile.signal agent %sent[%i] to %zero : !tile.signals<1>
      }
    }
  }
}

// -----

// A guard that lets one more through than the grid has.
tile.program @guard<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 1 extents [%a: %M] [%b: %M] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{the grid is declared here}}
  %sent = tile.signals [100] : !tile.signals<1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [%M ceildiv 64] {
        %limit = arith.constant 100 : index
        %inside = arith.cmpi sle, %i, %limit : index
        scf.if %inside {
          // expected-error @below {{raises index 100 in dimension 0 of a grid of size 100, in task (100) of role @r on rank 0, with M=6401}}
          tile.signal agent %sent[%i] to %zero : !tile.signals<1>
        }
      }
    }
  }
}

// -----

// Every third word: the last step may pass the end.
tile.program @stepped<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 1 extents [%a: %M] [%b: %M] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{the grid is declared here}}
  %sent = tile.signals [90] : !tile.signals<1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [1] {
        %three = arith.constant 3 : index
        %end = tile.extent [%M ceildiv 64]
        scf.for %k = %zero to %end step %three {
          // expected-error @below {{raises index 90 in dimension 0 of a grid of size 90, in task (0) of role @r on rank 0, with M=5761}}
          tile.signal agent %sent[%k] to %zero : !tile.signals<1>
        }
      }
    }
  }
}

// -----

// Of each rank as many words as it has tiles: the last of one is beside the first of the next.
tile.program @of_each_rank<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 2 extents [%a: %M] [%b: %M] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{the grid is declared here}}
  %sent = tile.signals [100] : !tile.signals<1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [1] {
        %rank = tile.rank
        %tiles = tile.extent [%M ceildiv 64]
        %first = arith.muli %rank, %tiles : index
        // expected-error @below {{raises index 100 in dimension 0 of a grid of size 100, in task (0) of role @r on rank 1, with M=6337}}
        tile.signal agent %sent[%first] to %rank : !tile.signals<1>
      }
    }
  }
}

// -----

// A view that is shifted by more than its buffer has behind it.
tile.program @shifted<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 1 extents [%a: %M + 1000] [%b: %M] {
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [%M ceildiv 64] {
        %ten = arith.constant 10 : index
        %at = arith.muli %i, %ten : index
        %v = memref.subview %a[%at] [%M] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
        // expected-error @below {{view reaches element 7474 in dimension 0 of a buffer of size 7465, in task (101) of role @r on rank 0, with M=6465}}
        %t = tile.load %v[%i] tile [64] : memref<?xf32, strided<[1], offset: ?>> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
      }
    }
  }
}

// -----

// A launch in which the index is out of bounds has more tasks than are traced.
tile.program @too_large<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 2 extents [%a: %M] [%b: %M] {
  %rank = tile.rank
  %sent = tile.signals [600000] : !tile.signals<1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i, %j) in [%M, 4] {
        // expected-error @below {{names an index out of bounds, in a launch that is too large to be traced, with M=600001}}
        tile.signal agent %sent[%i] to %rank : !tile.signals<1>
      }
    }
  }
}

// -----

// The same where a number below 0 is given to an operation without a sign: the error spoke of an index out of bounds.
tile.program @too_large_to_be_negative<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 2 extents [%a: %M] [%b: %M] {
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i, %j) in [%M, 4] {
        %most = arith.constant 600000 : index
        %eight = arith.constant 8 : index
        %left = arith.subi %most, %i : index
        // expected-error @below {{unsigned arithmetic on an index below 0, in a launch that is too large to be traced, with M=600002}}
        %at = arith.remui %left, %eight : index
        %t = tile.load %a[%at] tile [64] : memref<?xf32> -> tensor<64xf32>
      }
    }
  }
}

// -----

// All of these are in bounds: minima, remainders, guards, steps, rows of each rank, tiles of tiles.
tile.program @in_bounds<%M, %N>(%a: memref<?x?xf32>, %b: memref<?x?xf32>) world 3 extents [%a: W * %M, %N] [%b: %M, %N] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  %world = arith.constant 3 : index
  %next = arith.addi %rank, %one : index
  %peer = arith.remui %next, %world : index
  %sent = tile.signals [W, %M ceildiv 64, %N ceildiv 16] : !tile.signals<3>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%p, %i, %j) in [W, %M ceildiv 64, (%N ceildiv 16) ceildiv 4] {
        %four = arith.constant 4 : index
        %begin = arith.muli %j, %four : index
        %most = tile.extent [%N ceildiv 16]
        %end = arith.addi %begin, %four : index
        %clipped = arith.minsi %end, %most : index
        scf.for %n = %begin to %clipped step %one {
          tile.signal system %sent[%rank, %i, %n] to %peer : !tile.signals<3>
        }
        %rows = tile.extent [%M]
        %at = arith.muli %p, %rows : index
        %mine = memref.subview %a[%at, 0] [%M, %N] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
        %t = tile.load %mine[%i, %begin] tile [64, 16] : memref<?x?xf32, strided<[?, 1], offset: ?>> -> tensor<64x16xf32>
      }
    }
  }
}
