// RUN: split-file %s %t
// RUN: for p in hash pair half extent; do tilec verify %t/$p.mlir --world 1 2>&1 | FileCheck %s --check-prefix=PROVEN --implicit-check-not=alone || exit 1; done
// RUN: for p in hash half extent; do tilec run %t/$p.mlir --world 1 --extents-from 200,40 --launches 2 || exit 1; done
// RUN: tilec run %t/pair.mlir --world 1 --extents-from 40
// RUN: not tilec run %t/hash.mlir --world 1 --extents-from 60000 2>&1 | FileCheck %s --check-prefix=HASH
// RUN: not tilec run %t/pair.mlir --world 1 --extents-from 300 2>&1 | FileCheck %s --check-prefix=PAIR
// RUN: not tilec run %t/half.mlir --world 1 --extents-from 8000 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not tilec run %t/extent.mlir --world 1 --extents-from 8000 2>&1 | FileCheck %s --check-prefix=EXTENT
// RUN: tilec %t/rows.mlir --world 1 --emit=manifest | FileCheck %s --check-prefix=ROWS
// RUN: tilec verify %t/carried.mlir --world 1 2>&1 | FileCheck %s --check-prefix=CARRIED
// RUN: tilec verify %t/free.mlir --world 1 2>&1 | FileCheck %s --check-prefix=PROVEN --implicit-check-not=alone
// RUN: tilec %t/free.mlir --world 1 --emit=manifest | FileCheck %s --check-prefix=FREE --implicit-check-not='"greatest"' --implicit-check-not='"least"'

// The text computes indices in 32 bits. Samples do not reach as far, and larger launches were taken and wrong.
// PROVEN: progress any
// HASH: '{{.*}}': an index of a task may be as great as 'M * 40503 - 40503', 2430139497 for these extents, which does not fit the 32 bits that it is computed in
// PAIR: an index of a task may be as great as
// HALF: an index of a task may be as great as 'M * 300000', 2400000000 for these extents
// EXTENT: an index of a task may be as great as 'M * 300001', 2400008000 for these extents
// The first row of a tile is made of its number, which may be one of none of the buffer's rows.
// ROWS: "greatest": [
// ROWS: "N * 16384 + ceildiv(M, 16) * 16 - 16"
// CARRIED: carried.mlir:8:15: warning: nothing is proven beyond the samples: it is not known at which extents 32 bits no longer hold what is computed here
// CARRIED: launches up to M=200 alone
// FREE: "verified"

//--- hash.mlir
tile.program @hash<%M>(%o: memref<?xf32>) extents [%o: %M] {
  tile.forall (%i) in [%M] {
    %c = arith.constant 40503 : index
    %k = arith.constant 1000 : index
    %h = arith.muli %i, %c : index
    %m = arith.remui %h, %k : index
    %mi = arith.index_cast %m : index to i32
    %f = arith.sitofp %mi : i32 to f32
    %s = tile.splat %f [1] : tensor<1xf32>
    tile.store %s, %o[%i] : tensor<1xf32>, memref<?xf32>
  }
}

//--- pair.mlir
tile.program @pair<%M, %N>(%o: memref<?x?xf32>) extents [%o: %M, %N] {
  tile.forall (%i, %j) in [%M, %N ceildiv 64] {
    %p = arith.muli %i, %N : index
    %c = arith.constant 40503 : index
    %h = arith.muli %p, %c : index
    %k = arith.constant 1000 : index
    %m = arith.remui %h, %k : index
    %mi = arith.index_cast %m : index to i32
    %f = arith.sitofp %mi : i32 to f32
    %s = tile.splat %f [1, 64] : tensor<1x64xf32>
    tile.store %s, %o[%i, %j] : tensor<1x64xf32>, memref<?x?xf32>
  }
}

//--- half.mlir
tile.program @half<%M>(%a: memref<?xf32>, %o: memref<?xf32>) extents [%a: %M] [%o: %M] {
  tile.forall (%t) in [%M ceildiv 64] {
    %c = arith.constant 300000 : index
    %d = arith.constant 600000 : index
    %b = arith.muli %M, %c : index
    %half = arith.divui %b, %d : index
    %c64 = arith.constant 64 : index
    %at = arith.muli %t, %c64 : index
    %from = arith.subi %at, %half : index
    %v = tile.load %a at (%from) tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %v, %o[%t] : tensor<64xf32>, memref<?xf32>
  }
}

//--- extent.mlir
tile.program @half<%M>(%a: memref<?xf32>, %o: memref<?xf32>) extents [%a: %M] [%o: %M] {
  tile.forall (%t) in [%M ceildiv 64] {
    %half = tile.extent [(%M * 300000 + %M mod 7) floordiv 600000]
    %c64 = arith.constant 64 : index
    %at = arith.muli %t, %c64 : index
    %from = arith.subi %at, %half : index
    %v = tile.load %a at (%from) tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %v, %o[%t] : tensor<64xf32>, memref<?xf32>
  }
}

//--- carried.mlir
tile.program @carried<%M>(%o: memref<?xf32>) extents [%o: %M] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  tile.forall (%i) in [%M] {
    %steps = arith.remui %i, %c10 : index
    %h = scf.for %k = %c0 to %steps step %c1 iter_args(%last = %c1) -> index {
      %next = arith.addi %last, %last : index
      scf.yield %next : index
    }
    %m = arith.remsi %h, %c10 : index
    %mi = arith.index_cast %m : index to i32
    %f = arith.sitofp %mi : i32 to f32
    %s = tile.splat %f [1] : tensor<1xf32>
    tile.store %s, %o[%i] : tensor<1xf32>, memref<?xf32>
  }
}

//--- free.mlir
// What an argument, a branch, a remainder or a loop keeps small.
tile.program @free<%M, %N>(%a: memref<?x?xf32>, %o: memref<?xf32>) extents [%a: %M, 64 * %N] [%o: 64 * %M] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c64 = arith.constant 64 : index
  %many = arith.constant 100000 : index
  tile.forall (%i) in [%M] {
    %at = arith.muli %i, %c64 : index
    %first = arith.minui %i, %c5 : index
    %far = arith.muli %first, %many : index
    %is_first = arith.cmpi ult, %i, %c5 : index
    %none = tile.splat 0.0 [1, 64] : tensor<1x64xf32>
    %count, %all = scf.for %k = %c0 to %N step %c1 iter_args(%n = %c0, %sum = %none) -> (index, tensor<1x64xf32>) {
      %v = tile.load %a[%i, %k] tile [1, 64] : memref<?x?xf32> -> tensor<1x64xf32>
      %next = arith.addf %sum, %v : tensor<1x64xf32>
      %more = arith.addi %n, %c1 : index
      scf.yield %more, %next : index, tensor<1x64xf32>
    }
    %rest = arith.remui %far, %c5 : index
    %sum = arith.addi %count, %rest : index
    %place = arith.remui %sum, %c5 : index
    %row = tile.reshape %all tile [64] : tensor<1x64xf32> -> tensor<64xf32>
    scf.if %is_first {
      %beyond = arith.muli %i, %many : index
      %which = arith.remui %beyond, %c5 : index
      %w = arith.index_cast %which : index to i32
      %wf = arith.sitofp %w : i32 to f32
      %ws = tile.splat %wf [64] : tensor<64xf32>
      tile.store %ws, %o at (%at) : tensor<64xf32>, memref<?xf32>
    } else {
      tile.store %row, %o at (%at) : tensor<64xf32>, memref<?xf32>
    }
  }
}

//--- rows.mlir
tile.program @rows<%M, %N>(%a: memref<?x64xf32>, %o: memref<?x64xf32>) extents [%a: %M, 64] [%o: %M, 64] {
  tile.forall (%i) in [%M ceildiv 16] {
    %c0 = arith.constant 0 : index
    %c = arith.constant 1024 : index
    %s = arith.muli %N, %c : index
    %x = arith.addi %s, %i : index
    %v = tile.load %a[%x, %c0] tile [16, 64] : memref<?x64xf32> -> tensor<16x64xf32>
    tile.store %v, %o[%i, %c0] : tensor<16x64xf32>, memref<?x64xf32>
  }
}
