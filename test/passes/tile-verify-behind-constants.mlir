// RUN: split-file %s %t
// RUN: not tilec verify %t/number-of-tasks.mlir --world 2 2>&1 | FileCheck %s --check-prefix=TASKS
// TASKS: error: reads element [3840] of '%x' on rank 0, by task (60) of role @combine on rank 0, which no store of the launch writes, with M=
// RUN: not tilec verify %t/two-constants.mlir --world 1 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: reads element [320] of '%x' on rank 0, by task ({{[0-9]+}}) of role @combine on rank 0, which no store of the launch writes, with M=
// RUN: not tilec verify %t/one-extent-alone.mlir --world 1 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: reads element [{{[0-9]+}}] of '%x' on rank 0, by task ({{[0-9]+}}) of role @combine on rank 0, which no store of the launch writes, with M={{[0-9]+}}/N=40
// RUN: not tilec verify %t/both-extents.mlir --world 1 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: reads element [{{[0-9]+}}] of '%x' on rank 0, by task ({{[0-9]+}}) of role @combine on rank 0, which no store of the launch writes, with M=
// RUN: not tilec verify %t/whole-tiles-of-one.mlir --world 1 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: error: reads element [192] of '%x' on rank 0, by task (1) of role @combine_2 on rank 0, which no store of the launch writes, with M=192
// RUN: not tilec verify %t/divided.mlir --world 1 2>&1 | FileCheck %s --check-prefix=DIVIDED
// DIVIDED: error: reads element [{{[0-9]+}}] of '%x' on rank 0, by task ({{[0-9]+}}) of role @combine on rank 0, which no store of the launch writes, with M=
// RUN: not tilec verify %t/two-elements-a-row.mlir --world 1 2>&1 | FileCheck %s --check-prefix=SPREAD
// SPREAD: error: reads element [{{[0-9]+}}] of '%x' on rank 0, by task (60) of role @combine on rank 0, which no store of the launch writes, with M=
// RUN: tilec verify %t/triangle.mlir --world 1 | FileCheck %s --check-prefix=LIMITS
// RUN: tilec verify %t/quadratic.mlir --world 1 | FileCheck %s --check-prefix=LIMITS
// LIMITS: progress any; launches up to M=
// RUN: tilec verify %t/covered.mlir --world 1 | FileCheck %s --check-prefix=COVERED --implicit-check-not=alone
// COVERED: progress any

// Accepted for all extents: 60 tasks write what the tasks of an extent read.
//--- number-of-tasks.mlir
tile.program @number<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %x = tile.alloc [%M] : memref<?xf32>
  tile.forall (%i) in [60] {
    %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %x[%i] : tensor<64xf32>, memref<?xf32>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %t = tile.load %x[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    %u = arith.addf %t, %t : tensor<64xf32>
    tile.store %u, %b[%i] : tensor<64xf32>, memref<?xf32>
  }
}

// Accepted for all extents: task 5 writes nothing, which a task that reads 300 elements before its own sees where
// there are more rows than either constant asks for.
//--- two-constants.mlir
tile.program @two<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %x = tile.alloc [%M] : memref<?xf32>
  tile.forall (%i) in [%M ceildiv 64] {
    %c5 = arith.constant 5 : index
    %c7 = arith.constant 7 : index
    %seventh = arith.remui %i, %c7 : index
    %is = arith.cmpi ne, %seventh, %c5 : index
    scf.if %is {
      %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %t, %x[%i] : tensor<64xf32>, memref<?xf32>
    }
  }
  tile.forall (%i) in [%M ceildiv 32] {
    %c32 = arith.constant 32 : index
    %c300 = arith.constant 300 : index
    %here = arith.muli %i, %c32 : index
    %before = arith.subi %here, %c300 : index
    %t = tile.load %x at (%before) tile [32] : memref<?xf32> -> tensor<32xf32>
    %u = arith.addf %t, %t : tensor<32xf32>
    tile.store %u, %b[%i] : tensor<32xf32>, memref<?xf32>
  }
}

// Accepted for all extents: 1000 elements more than N are written, and M are read. Where both extents are long, or both are short, they are there.
//--- one-extent-alone.mlir
tile.program @alone<%M, %N>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %N] [%b: %M] {
  %x = tile.alloc [%M] : memref<?xf32>
  tile.forall (%i) in [(%N + 1000) ceildiv 16] {
    %c16 = arith.constant 16 : index
    %here = arith.muli %i, %c16 : index
    %t = tile.load %a at (%here) tile [16] : memref<?xf32> -> tensor<16xf32>
    tile.store %t, %x at (%here) : tensor<16xf32>, memref<?xf32>
  }
  tile.forall (%i) in [%M ceildiv 16] {
    %c16 = arith.constant 16 : index
    %here = arith.muli %i, %c16 : index
    %t = tile.load %x at (%here) tile [16] : memref<?xf32> -> tensor<16xf32>
    %u = arith.addf %t, %t : tensor<16xf32>
    tile.store %u, %b at (%here) : tensor<16xf32>, memref<?xf32>
  }
}

// Accepted for all extents: what is read lies 1000 elements before the end of x, and only where there is a third task of N.
//--- both-extents.mlir
tile.program @both<%M, %N>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %N] {
  %x = tile.alloc [%M] : memref<?xf32>
  tile.forall (%i) in [%N ceildiv 64] {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c1000 = arith.constant 1000 : index
    %third = arith.cmpi sgt, %i, %c1 : index
    scf.if %third {
      %here = arith.muli %i, %c64 : index
      %end = arith.subi %M, %c1000 : index
      %t = tile.load %x at (%end) tile [64] : memref<?xf32> -> tensor<64xf32>
      %u = arith.addf %t, %t : tensor<64xf32>
      tile.store %u, %b at (%here) : tensor<64xf32>, memref<?xf32>
    }
  }
}

// Accepted for all extents: 7 elements behind the extent, which tiles of 128 read and tiles of 64 write unless there is a whole number of them.
//--- whole-tiles-of-one.mlir
tile.program @whole<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %x = tile.alloc [%M + 7] : memref<?xf32>
  tile.forall (%i) in [%M ceildiv 64] {
    %c64 = arith.constant 64 : index
    %here = arith.muli %i, %c64 : index
    %t = tile.load %a at (%here) tile [64] : memref<?xf32> -> tensor<64xf32>
    %u = arith.addf %t, %t : tensor<64xf32>
    tile.store %u, %x at (%here) : tensor<64xf32>, memref<?xf32>
  }
  tile.forall (%i) in [%M ceildiv 128] {
    %c128 = arith.constant 128 : index
    %here = arith.muli %i, %c128 : index
    %t = tile.load %x at (%here) tile [128] : memref<?xf32> -> tensor<128xf32>
    %u = arith.addf %t, %t : tensor<128xf32>
    tile.store %u, %b at (%here) : tensor<128xf32>, memref<?xf32>
  }
}

// Accepted for all extents: an index that is divided by 8 has to go eight times as far to where it is moved by 100.
//--- divided.mlir
tile.program @divided<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %x = tile.alloc [%M] : memref<?xf32>
  tile.forall (%i) in [%M ceildiv 32] {
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c100 = arith.constant 100 : index
    %here = arith.muli %i, %c32 : index
    %eighth = arith.divui %here, %c8 : index
    %before = arith.subi %eighth, %c100 : index
    %t = tile.load %x at (%before) tile [32] : memref<?xf32> -> tensor<32xf32>
    %u = arith.addf %t, %t : tensor<32xf32>
    tile.store %u, %b at (%here) : tensor<32xf32>, memref<?xf32>
  }
}

// Accepted for all extents: task 60 of a loop over twice the extent reads as far before the end.
//--- two-elements-a-row.mlir
tile.program @spread<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M * 2] {
  %x = tile.alloc [%M * 2] : memref<?xf32>
  tile.forall (%i) in [(%M * 2) ceildiv 64] {
    %c64 = arith.constant 64 : index
    %c60 = arith.constant 60 : index
    %is = arith.cmpi eq, %i, %c60 : index
    scf.if %is {
      %here = arith.muli %i, %c64 : index
      %before = arith.subi %M, %here : index
      %t = tile.load %x at (%before) tile [64] : memref<?xf32> -> tensor<64xf32>
      %u = arith.addf %t, %t : tensor<64xf32>
      tile.store %u, %b at (%here) : tensor<64xf32>, memref<?xf32>
    }
  }
}

// Verified for minutes: 1000 tasks, each of which reads as many tiles as its number, were a small sample.
//--- triangle.mlir
tile.program @triangle<%M>(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) extents [%a: %M] [%b: %M] [%c: %M] {
  tile.forall (%i) in [%M ceildiv 16] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = tile.splat 0.0 [16] : tensor<16xf32>
    %end = arith.addi %i, %c1 : index
    %sum = scf.for %j = %c0 to %end step %c1 iter_args(%s = %none) -> tensor<16xf32> {
      %t = tile.load %c[%j] tile [16] : memref<?xf32> -> tensor<16xf32>
      %u = arith.addf %s, %t : tensor<16xf32>
      scf.yield %u : tensor<16xf32>
    }
    tile.store %sum, %b[%i] : tensor<16xf32>, memref<?xf32>
  }
  tile.forall (%i) in [%M floordiv 16] {
    %most = arith.constant 1000 : index
    %is = arith.cmpi slt, %i, %most : index
    scf.if %is {
      %t = tile.load %b[%i] tile [16] : memref<?xf32> -> tensor<16xf32>
      tile.store %t, %c[%i] : tensor<16xf32>, memref<?xf32>
    }
  }
}

// A launch that is long enough for the constant has too many accesses.
//--- quadratic.mlir
tile.program @quadratic<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %x = tile.alloc [%M] : memref<?xf32>
  tile.forall (%i) in [%M ceildiv 16] {
    %t = tile.load %a[%i] tile [16] : memref<?xf32> -> tensor<16xf32>
    %u = arith.addf %t, %t : tensor<16xf32>
    tile.store %u, %x[%i] : tensor<16xf32>, memref<?xf32>
  }
  tile.forall (%i) in [%M ceildiv 16] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %far = arith.constant 10000 : index
    %none = tile.splat 0.0 [16] : tensor<16xf32>
    %all = tile.extent [%M ceildiv 16]
    %sum = scf.for %j = %c0 to %all step %c1 iter_args(%s = %none) -> tensor<16xf32> {
      %t = tile.load %x[%j] tile [16] : memref<?xf32> -> tensor<16xf32>
      %u = arith.addf %s, %t : tensor<16xf32>
      scf.yield %u : tensor<16xf32>
    }
    %c16 = arith.constant 16 : index
    %here = arith.muli %i, %c16 : index
    %at = arith.minsi %here, %far : index
    %t = tile.load %a at (%at) tile [16] : memref<?xf32> -> tensor<16xf32>
    %v = arith.addf %sum, %t : tensor<16xf32>
    tile.store %v, %b[%i] : tensor<16xf32>, memref<?xf32>
  }
}

// As many tasks write as read, though the number of some is a constant.
//--- covered.mlir
tile.program @covered<%M>(%a: memref<64x?xf32>, %b: memref<64x?xf32>) extents [%a: 64, %M] [%b: 64, %M] {
  %x = tile.alloc [64, %M] : memref<64x?xf32>
  tile.forall (%r, %i) in [64, %M ceildiv 64] {
    %t = tile.load %a[%r, %i] tile [64] : memref<64x?xf32> -> tensor<64xf32>
    %u = arith.mulf %t, %t : tensor<64xf32>
    tile.store %u, %x[%r, %i] : tensor<64xf32>, memref<64x?xf32>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %c63 = arith.constant 63 : index
    %t = tile.load %x[%c63, %i] tile [64] : memref<64x?xf32> -> tensor<64xf32>
    tile.store %t, %b[%c63, %i] : tensor<64xf32>, memref<64x?xf32>
  }
}
