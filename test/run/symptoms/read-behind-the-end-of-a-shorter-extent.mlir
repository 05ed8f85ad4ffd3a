// RUN: split-file %s %t
// RUN: not tilec verify %t/whole.mlir --world 1 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: not tilec verify %t/backwards.mlir --world 1 2>&1 | FileCheck %s --check-prefix=BACKWARDS
// RUN: not tilec verify %t/steps-of-576.mlir --world 1 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: not tilec verify %t/in-rows-and-columns.mlir --world 1 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: tilec verify %t/remainder.mlir --world 1 2>&1 | FileCheck %s --check-prefix=REMAINDER
// RUN: tilec verify %t/minima.mlir --world 1 2>&1 | FileCheck %s --check-prefix=MINIMA
// RUN: not tilec verify %t/early.mlir --world 3 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: tilec verify %t/right.mlir --world 1 | FileCheck %s --check-prefix=RIGHT
// %N runs along a buffer that %M writes: what it reads of it depends on where both end, and no sample had M end with a tile and N beyond it.

//--- whole.mlir
// The last tile stops at M where M is a multiple of 32, and %x has 7 elements more.
// WHOLE: error: reads element [128] of '%x' on rank 0, by task (8) of role {{.*}}, which no store of the launch writes, with M=128/N=200
tile.program @whole<%M, %N>(%a: memref<?xf32>, %c: memref<?xf32>) extents [%a: %M] [%c: %N] {
  %x = tile.alloc [%M + 7] : memref<?xf32>
  tile.forall (%i) in [%M ceildiv 32] {
    %t = tile.load %a[%i] tile [32] : memref<?xf32> -> tensor<32xf32>
    tile.store %t, %x[%i] : tensor<32xf32>, memref<?xf32>
  }
  %c16 = arith.constant 16 : index
  tile.forall (%j) in [%N ceildiv 16] {
    %first = arith.muli %j, %c16 : index
    %t = tile.load %x at (%first) tile [16] : memref<?xf32> -> tensor<16xf32>
    tile.store %t, %c[%j] : tensor<16xf32>, memref<?xf32>
  }
}

//--- backwards.mlir
// The first 33 elements are not written, and are read where N reaches back to them from the end of M.
// BACKWARDS: error: reads element {{.*}} of '%x' on rank 0, by task {{.*}}, which no store of the launch writes, with M=200/N=200
tile.program @backwards<%M, %N>(%a: memref<?xf32>, %c: memref<?xf32>) extents [%a: %M] [%c: %N] {
  %x = tile.alloc [%M] : memref<?xf32>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c33 = arith.constant 33 : index
  tile.forall (%i) in [%M ceildiv 64] {
    %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    %first = arith.muli %i, %c64 : index
    %behind = arith.addi %first, %c33 : index
    tile.store %t, %x at (%behind) : tensor<64xf32>, memref<?xf32>
  }
  tile.forall (%j) in [%N floordiv 64] {
    %first = arith.muli %j, %c64 : index
    %next = arith.addi %first, %c64 : index
    %is_first = arith.cmpi eq, %j, %c0 : index
    %end = arith.select %is_first, %c0, %next : index
    %back = arith.subi %M, %end : index
    %t = tile.load %x at (%back) tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %c[%j] : tensor<64xf32>, memref<?xf32>
  }
}

//--- steps-of-576.mlir
// Reads a tile every 576 elements, as many as M has tiles of 72: the first behind what is written is read where N is 577 or more and M between 289 and 576.
// STEPS: error: reads element [576] of '%x' on rank 0, by task (0) of role {{.*}}, which no store of the launch writes, with M=289/N=577
tile.program @steps<%M, %N>(%a: memref<?xf32>, %c: memref<?xf32>) extents [%a: %N] [%c: %M] {
  %x = tile.alloc [%N] : memref<?xf32>
  %tiles = tile.extent [%M ceildiv 72]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c576 = arith.constant 576 : index
  tile.forall (%i) in [%M ceildiv 16] {
    %first = arith.muli %i, %c16 : index
    %t = tile.load %a at (%first) tile [16] : memref<?xf32> -> tensor<16xf32>
    tile.store %t, %x at (%first) : tensor<16xf32>, memref<?xf32>
  }
  tile.forall (%i) in [(%M ceildiv 144) floordiv 3] {
    %none = tile.splat 0.0 [144] : tensor<144xf32>
    %sum = scf.for %s = %c0 to %tiles step %c1 iter_args(%before = %none) -> tensor<144xf32> {
      %at = arith.muli %s, %c576 : index
      %t = tile.load %x at (%at) tile [144] : memref<?xf32> -> tensor<144xf32>
      %next = arith.addf %before, %t : tensor<144xf32>
      scf.yield %next : tensor<144xf32>
    }
    tile.store %sum, %c[%i] : tensor<144xf32>, memref<?xf32>
  }
}

//--- in-rows-and-columns.mlir
// The same in two dimensions, with more than 12 variables in the place that is read: nothing was said of more than 12.
// COLUMNS: error: reads element [576, 0] of '%x' on rank 0, by task (0, 0) of role {{.*}}, which no store of the launch writes, with M=289/N=577/K=1
tile.program @in_rows_and_columns<%M, %N, %K>(%a: memref<?x?xf32>, %c: memref<?x?xf32>) extents [%a: %N, %K] [%c: %M, %K] where %N <= 2 * %M {
  %x = tile.alloc [%N, %K] : memref<?x?xf32>
  %steps = tile.extent [%N ceildiv 576]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c576 = arith.constant 576 : index
  tile.forall (%i, %k) in [%M ceildiv 16, %K ceildiv 32] {
    %t = tile.load %a[%i, %k] tile [16, 32] : memref<?x?xf32> -> tensor<16x32xf32>
    tile.store %t, %x[%i, %k] : tensor<16x32xf32>, memref<?x?xf32>
  }
  tile.forall (%i, %k) in [%M ceildiv 576, %K ceildiv 64] {
    %none = tile.splat 0.0 [8, 64] : tensor<8x64xf32>
    %column = arith.muli %k, %c64 : index
    %sum = scf.for %s = %c0 to %steps step %c1 iter_args(%before = %none) -> tensor<8x64xf32> {
      %at = arith.muli %s, %c576 : index
      %t = tile.load %x at (%at, %column) tile [8, 64] : memref<?x?xf32> -> tensor<8x64xf32>
      %next = arith.addf %before, %t : tensor<8x64xf32>
      scf.yield %next : tensor<8x64xf32>
    }
    %row = arith.muli %i, %c576 : index
    tile.store %sum, %c at (%row, %column) : tensor<8x64xf32>, memref<?x?xf32>
  }
}

//--- remainder.mlir
// What is read lies below M, which no inequality says of a remainder by M: nothing is claimed beyond the samples.
// REMAINDER: remainder.mlir:15:10: warning: nothing is proven beyond the samples: it is not known for all extents whether what is read here is written
// REMAINDER: launches up to
tile.program @remainder<%M, %N>(%a: memref<?xf32>, %c: memref<?xf32>) extents [%a: %M] [%c: %N] where %M <= %N {
  %x = tile.alloc [%N] : memref<?xf32>
  %c1 = arith.constant 1 : index
  tile.forall (%i) in [%M] {
    %t = tile.load %a[%i] tile [1] : memref<?xf32> -> tensor<1xf32>
    tile.store %t, %x[%i] : tensor<1xf32>, memref<?xf32>
  }
  %last = arith.subi %N, %c1 : index
  tile.forall (%j) in [%N] {
    %around = arith.remui %j, %M : index
    %at = arith.minsi %around, %last : index
    %t = tile.load %x[%at] tile [1] : memref<?xf32> -> tensor<1xf32>
    tile.store %t, %c[%j] : tensor<1xf32>, memref<?xf32>
  }
}

//--- minima.mlir
// The place that is read has 256 cases, and there the proof is given up.
// MINIMA: warning: nothing is proven beyond the samples: it is not known for all extents whether what is read here is written
// MINIMA: launches up to
tile.program @minima<%M>(%a: memref<?xf32>, %c: memref<?xf32>) extents [%a: %M] [%c: %M] {
  %x = tile.alloc [%M] : memref<?xf32>
  %c1 = arith.constant 1 : index
  tile.forall (%i) in [%M] {
    %t = tile.load %a[%i] tile [1] : memref<?xf32> -> tensor<1xf32>
    tile.store %t, %x[%i] : tensor<1xf32>, memref<?xf32>
  }
  %last = arith.subi %M, %c1 : index
  tile.forall (%j) in [%M] {
    %c3 = arith.constant 3 : index
    %m3 = arith.minsi %j, %c3 : index
    %c4 = arith.constant 4 : index
    %m4 = arith.minsi %j, %c4 : index
    %c5 = arith.constant 5 : index
    %m5 = arith.minsi %j, %c5 : index
    %c6 = arith.constant 6 : index
    %m6 = arith.minsi %j, %c6 : index
    %c7 = arith.constant 7 : index
    %m7 = arith.minsi %j, %c7 : index
    %c8 = arith.constant 8 : index
    %m8 = arith.minsi %j, %c8 : index
    %c9 = arith.constant 9 : index
    %m9 = arith.minsi %j, %c9 : index
    %s4 = arith.addi %m3, %m4 : index
    %s5 = arith.addi %s4, %m5 : index
    %s6 = arith.addi %s5, %m6 : index
    %s7 = arith.addi %s6, %m7 : index
    %s8 = arith.addi %s7, %m8 : index
    %s9 = arith.addi %s8, %m9 : index
    %at = arith.minsi %s9, %last : index
    %t = tile.load %x[%at] tile [1] : memref<?xf32> -> tensor<1xf32>
    tile.store %t, %c[%j] : tensor<1xf32>, memref<?xf32>
  }
}

//--- early.mlir
// Task 5 of the first loop reads tile 5 of %y, which a later statement alone writes: where M and N are more than 320. A launch behind the constant 60 is no
// sample, since the loop over all tiles in front makes it large.
// EARLY: error: reads element [320] of '%y' on rank 0, by task (5) of role {{.*}}, before any store of the launch, with M=321/N=321
tile.program @early<%M, %N>(%b: memref<?xf32, #tile.symmetric>) extents [%b: %M] {
  %y = tile.alloc [%N] : memref<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c11 = arith.constant 11 : index
  %c60 = arith.constant 60 : index
  %c64 = arith.constant 64 : index
  tile.forall (%i) in [%M ceildiv 64] {
    %turn = arith.remui %i, %c11 : index
    %is_fifth = arith.cmpi eq, %turn, %c5 : index
    scf.if %is_fifth {
      %next = arith.addi %i, %c1 : index
      %none = tile.splat 0.0 [64] : tensor<64xf32>
      %sum = scf.for %k = %c0 to %next step %c1 iter_args(%before = %none) -> tensor<64xf32> {
        %t = tile.load %b[%k] tile [64] : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
        %after = arith.addf %before, %t : tensor<64xf32>
        scf.yield %after : tensor<64xf32>
      }
      %first = arith.muli %i, %c64 : index
      %t = tile.load %y at (%first) tile [64] : memref<?xf32> -> tensor<64xf32>
      %both = arith.addf %sum, %t : tensor<64xf32>
      tile.store %both, %y at (%first) : tensor<64xf32>, memref<?xf32>
    }
  }
  tile.forall (%j) in [%N floordiv 64] {
    %first = arith.muli %j, %c64 : index
    %t = tile.load %b at (%first) tile [64] : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
    tile.store %t, %y at (%first) : tensor<64xf32>, memref<?xf32>
  }
  tile.forall (%j) in [%N floordiv 64] {
    %first = arith.muli %j, %c64 : index
    %is_far = arith.cmpi sge, %j, %c60 : index
    scf.if %is_far {
      %t = tile.load %y at (%c0) tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %t, %b at (%first) : tensor<64xf32>, memref<?xf32, #tile.symmetric>
    }
  }
}

//--- right.mlir
// RIGHT: progress any
tile.program @right<%M, %N>(%a: memref<?xf32>, %c: memref<?xf32>) extents [%a: %M] [%c: %N] {
  %x = tile.alloc [%M] : memref<?xf32>
  tile.forall (%i) in [%M ceildiv 32] {
    %t = tile.load %a[%i] tile [32] : memref<?xf32> -> tensor<32xf32>
    tile.store %t, %x[%i] : tensor<32xf32>, memref<?xf32>
  }
  %c16 = arith.constant 16 : index
  tile.forall (%j) in [%N ceildiv 16] {
    %first = arith.muli %j, %c16 : index
    %t = tile.load %x at (%first) tile [16] : memref<?xf32> -> tensor<16xf32>
    tile.store %t, %c[%j] : tensor<16xf32>, memref<?xf32>
  }
}
