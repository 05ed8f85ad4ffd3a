// RUN: split-file %s %t
// RUN: not tilec verify %t/late.mlir --world 1 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: error: reads element [0] of '%x' on rank 0, by task (50) of role @consume on rank 0, before any store of the launch, with M=3265
// RUN: not tilec verify %t/late-as-i32.mlir --world 1 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: tilec verify %t/moved.mlir --world 2 | FileCheck %s --check-prefix=MOVED --implicit-check-not=alone
// MOVED: verified on 2 ranks over 4 launches, 7 samples of the extents; kernel @moved: progress any
// RUN: tilec verify %t/too-far.mlir --world 1 | FileCheck %s --check-prefix=LIMITS
// RUN: not tilec verify %t/square.mlir --world 1 2>&1 | FileCheck %s --check-prefix=SQUARE
// SQUARE: error: reads element [3200] of '%x' on rank 0, by task (0) of role @{{.*}} on rank 0, which no store of the launch writes, with M=
// RUN: tilec verify %t/narrow.mlir --world 1 | FileCheck %s --check-prefix=LIMITS
// RUN: tilec verify %t/kernel.mlir --world 1 | FileCheck %s --check-prefix=LIMITS
// LIMITS: progress any; launches up to M=200 alone
// RUN: tilec verify %t/product.mlir --world 1 | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: progress any; launches up to M=200, N=200 alone
// RUN: not tilec verify %t/half.mlir --world 1 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: error: reads element [3776] of '%x' on rank 0, by task (0) of role @{{.*}} on rank 0, which no store of the launch writes, with M=3777
// RUN: not tilec verify %t/eighth.mlir --world 1 2>&1 | FileCheck %s --check-prefix=EIGHTH
// EIGHTH: error: reads element [2560] of '%x' on rank 0, by task (0) of role @{{.*}} on rank 0, which no store of the launch writes, with M={{[0-9]+}}

// Accepted for all extents: no usual sample has a fiftieth task, which reads what nobody has written yet.
//--- late.mlir
tile.program @late<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %x = tile.alloc [%M] : memref<?xf32>
  tile.kernel @k {
    tile.role @consume {
      tile.forall (%i) in [%M ceildiv 64] {
        %far = arith.constant 50 : index
        %c = arith.cmpi sge, %i, %far : index
        scf.if %c {
          %j = arith.subi %i, %far : index
          %t = tile.load %x[%j] tile [64] : memref<?xf32> -> tensor<64xf32>
          tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
        } else {
          %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
          tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
        }
      }
    }
    tile.role @produce {
      tile.forall (%i) in [%M ceildiv 64] {
        %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
        tile.store %t, %x[%i] : tensor<64xf32>, memref<?xf32>
      }
    }
  }
}

// The same, of the index as a number of 32 bits.
//--- late-as-i32.mlir
tile.program @late_as_i32<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %x = tile.alloc [%M] : memref<?xf32>
  tile.kernel @k {
    tile.role @consume {
      tile.forall (%i) in [%M ceildiv 64] {
        %far = arith.constant 50 : index
        %number = arith.index_cast %i : index to i32
        %above = arith.constant 49 : i32
        %c = arith.cmpi sgt, %number, %above : i32
        scf.if %c {
          %j = arith.subi %i, %far : index
          %t = tile.load %x[%j] tile [64] : memref<?xf32> -> tensor<64xf32>
          tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
        } else {
          %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
          tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
        }
      }
    }
    tile.role @produce {
      tile.forall (%i) in [%M ceildiv 64] {
        %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
        tile.store %t, %x[%i] : tensor<64xf32>, memref<?xf32>
      }
    }
  }
}

// A sample has a task that reads what another, fifty tiles away, has sent.
//--- moved.mlir
tile.program @moved<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %x = tile.alloc [%M] : memref<?xf32, #tile.symmetric>
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.forall (%i) in [%M ceildiv 64] {
    %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %x[%i] to %peer : tensor<64xf32>, memref<?xf32, #tile.symmetric>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %far = arith.constant 50 : index
    %j = arith.addi %i, %far : index
    %t = tile.load %x[%j] tile [64] : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
    tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
  }
}

// Beyond 2048 tasks nothing is claimed.
//--- too-far.mlir
tile.program @too_far<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  tile.forall (%i) in [%M ceildiv 64] {
    %far = arith.constant 50000 : index
    %c = arith.cmpi sge, %i, %far : index
    scf.if %c {
      %t = tile.splat 0.0 [64] : tensor<64xf32>
      tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
    } else {
      %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
    }
  }
}

// Tasks behind as many as half of all and thirty do not write: none in the usual samples.
//--- half.mlir
tile.program @half<%M>(%a: memref<?xf32>, %b: memref<64xf32>) extents [%a: %M] [%b: 64] {
  %x = tile.alloc [%M] : memref<?xf32>
  tile.forall (%i) in [%M ceildiv 64] {
    %behind = tile.extent [%M floordiv 128 + 30]
    %c = arith.cmpi slt, %i, %behind : index
    scf.if %c {
      %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %t, %x[%i] : tensor<64xf32>, memref<?xf32>
    }
  }
  tile.forall (%j) in [1] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %none = tile.splat 0.0 [64] : tensor<64xf32>
    %end = tile.extent [%M ceildiv 64]
    %sum = scf.for %k = %zero to %end step %one iter_args(%so_far = %none) -> (tensor<64xf32>) {
      %t = tile.load %x[%k] tile [64] : memref<?xf32> -> tensor<64xf32>
      %s = arith.addf %so_far, %t : tensor<64xf32>
      scf.yield %s : tensor<64xf32>
    }
    tile.store %sum, %b[%j] : tensor<64xf32>, memref<64xf32>
  }
}

// A quotient of an index is below 5 in all usual samples.
//--- eighth.mlir
tile.program @eighth<%M>(%a: memref<?xf32>, %b: memref<64xf32>) extents [%a: %M] [%b: 64] {
  %x = tile.alloc [%M] : memref<?xf32>
  tile.forall (%i) in [%M ceildiv 64] {
    %eight = arith.constant 8 : index
    %five = arith.constant 5 : index
    %q = arith.divui %i, %eight : index
    %c = arith.cmpi slt, %q, %five : index
    scf.if %c {
      %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %t, %x[%i] : tensor<64xf32>, memref<?xf32>
    }
  }
  tile.forall (%j) in [1] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %none = tile.splat 0.0 [64] : tensor<64xf32>
    %end = tile.extent [%M ceildiv 64]
    %sum = scf.for %k = %zero to %end step %one iter_args(%so_far = %none) -> (tensor<64xf32>) {
      %t = tile.load %x[%k] tile [64] : memref<?xf32> -> tensor<64xf32>
      %s = arith.addf %so_far, %t : tensor<64xf32>
      scf.yield %s : tensor<64xf32>
    }
    tile.store %sum, %b[%j] : tensor<64xf32>, memref<64xf32>
  }
}

// How far the condition on a square reaches is not known, but a launch is tried in which a task has the number that it names.
//--- square.mlir
tile.program @square<%M>(%a: memref<?xf32>, %b: memref<64xf32>) extents [%a: %M] [%b: 64] {
  %x = tile.alloc [%M] : memref<?xf32>
  tile.forall (%i) in [%M ceildiv 64] {
    %most = arith.constant 2500 : index
    %q = arith.muli %i, %i : index
    %c = arith.cmpi slt, %q, %most : index
    scf.if %c {
      %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %t, %x[%i] : tensor<64xf32>, memref<?xf32>
    }
  }
  tile.forall (%j) in [1] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %none = tile.splat 0.0 [64] : tensor<64xf32>
    %end = tile.extent [%M ceildiv 64]
    %sum = scf.for %k = %zero to %end step %one iter_args(%so_far = %none) -> (tensor<64xf32>) {
      %t = tile.load %x[%k] tile [64] : memref<?xf32> -> tensor<64xf32>
      %s = arith.addf %so_far, %t : tensor<64xf32>
      scf.yield %s : tensor<64xf32>
    }
    tile.store %sum, %b[%j] : tensor<64xf32>, memref<64xf32>
  }
}

// Where a condition turns is not known, of a number that indices do not fit into: nothing is claimed beyond the samples.
//--- narrow.mlir
tile.program @narrow<%M>(%a: memref<?xf32>, %b: memref<64xf32>) extents [%a: %M] [%b: 64] {
  %x = tile.alloc [%M] : memref<?xf32>
  tile.forall (%i) in [%M ceildiv 64] {
    %number = arith.index_cast %i : index to i8
    %zero8 = arith.constant 0 : i8
    %c = arith.cmpi sge, %number, %zero8 : i8
    scf.if %c {
      %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %t, %x[%i] : tensor<64xf32>, memref<?xf32>
    }
  }
  tile.forall (%j) in [1] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %none = tile.splat 0.0 [64] : tensor<64xf32>
    %end = tile.extent [%M ceildiv 64]
    %sum = scf.for %k = %zero to %end step %one iter_args(%so_far = %none) -> (tensor<64xf32>) {
      %t = tile.load %x[%k] tile [64] : memref<?xf32> -> tensor<64xf32>
      %s = arith.addf %so_far, %t : tensor<64xf32>
      scf.yield %s : tensor<64xf32>
    }
    tile.store %sum, %b[%j] : tensor<64xf32>, memref<64xf32>
  }
}

// Nothing in it waits or signals, but its author wrote it as a kernel.
//--- kernel.mlir
tile.program @kernel<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  tile.kernel @k {
    tile.role @copy {
      tile.forall (%i) in [%M ceildiv 64] {
        %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
      }
    }
  }
}

// How many tasks a loop over a product of extents has in the usual samples is not known.
//--- product.mlir
tile.program @product<%M, %N>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M * %N] [%b: %M * %N] {
  tile.forall (%i) in [(%M * %N) ceildiv 64] {
    %most = arith.constant 900 : index
    %c = arith.cmpi slt, %i, %most : index
    scf.if %c {
      %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
      tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
    }
  }
}
