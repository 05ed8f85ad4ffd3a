// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize,tile-verify))' --split-input-file --keep-names=false | FileCheck %s
// RUN: tilec-opt %examples/02_signal/signal.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-verify))' | FileCheck %s --check-prefix=SIGNAL
// RUN: tilec-opt %examples/02_signal/signal.mlir --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1},tile-verify))' | FileCheck %s --check-prefix=SIGNAL
// RUN: tilec-opt %examples/02_signal/signal.mlir --keep-names --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-verify{extents=M=70,M=3}))' | FileCheck %s --check-prefix=EXTENTS
// RUN: tilec-opt %examples/04_all_gather_matmul/all_gather_matmul.mlir --keep-names --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2 extents=M=200,N=72,K=64},tile-expand,tile-fuse,tile-waits,tile-order,tile-verify))' | FileCheck %s --check-prefix=DERIVED

// SIGNAL: verified = #tile.verified<launches = 4, samples = {{\[\[}}200], [40], [128], [1]
// SIGNAL: tile.kernel @signal attributes {progress = #tile<progress any>}
// EXTENTS: verified = #tile.verified<launches = 4, samples = {{\[\[}}70], [3]]
// DERIVED: verified = #tile.verified<launches = {{[0-9]+}}, samples = {{\[\[}}{{.*}}]], any = [0, 1, 2]>

// Exchange among all: two copies need no credit.
// CHECK-LABEL: @exchange_two_copies
// CHECK: progress = #tile<progress any>
tile.program @exchange_two_copies(%a: memref<64xf32>, %b: memref<64xf32>) world 3 {
  %inbox = tile.alloc [3, 64] {copies = 2} : memref<3x64xf32, #tile.symmetric>
  %sent = tile.signals [3] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %rank = tile.rank
  tile.kernel @k {
    tile.role @send {
      tile.forall (%to) in [3] {
        %t = tile.load %a[%zero] tile [64] : memref<64xf32> -> tensor<64xf32>
        %stored = tile.store %t, %inbox[%rank, %zero] to %to : tensor<64xf32>, memref<3x64xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%rank] to %to publishes %stored : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%from) in [3] {
        %arrived = tile.wait system %sent[%from] : !tile.signals<1>
        %t = tile.load %inbox[%from, %zero] tile [64] after %arrived : memref<3x64xf32, #tile.symmetric> -> tensor<64xf32>
      }
    }
  }
}

// -----

// One copy, with a credit from each consumer to each source.
// CHECK-LABEL: @exchange_one_copy_credits
// CHECK: progress = #tile<progress any>
tile.program @exchange_one_copy_credits(%a: memref<64xf32>) world 3 {
  %inbox = tile.alloc [3, 64] : memref<3x64xf32, #tile.symmetric>
  %sent = tile.signals [3] : !tile.signals<1>
  %consumed = tile.signals [3] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %rank = tile.rank
  tile.kernel @k {
    tile.role @send {
      tile.forall (%to) in [3] {
        %free = tile.wait system %consumed[%to] lag 1 : !tile.signals<1>
        %t = tile.load %a[%zero] tile [64] : memref<64xf32> -> tensor<64xf32>
        %stored = tile.store %t, %inbox[%rank, %zero] to %to after %free : tensor<64xf32>, memref<3x64xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%rank] to %to publishes %stored : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%from) in [3] {
        %arrived = tile.wait system %sent[%from] : !tile.signals<1>
        %t = tile.load %inbox[%from, %zero] tile [64] after %arrived : memref<3x64xf32, #tile.symmetric> -> tensor<64xf32>
        tile.signal system %consumed[%rank] to %from : !tile.signals<1>
      }
    }
  }
}

// -----

// Around a ring of two, two copies are enough.
// CHECK-LABEL: @shift_of_two
tile.program @shift_of_two(%a: memref<64xf32>) world 2 {
  %inbox = tile.alloc [64] {copies = 2} : memref<64xf32, #tile.symmetric>
  %sent = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  %next = arith.subi %one, %rank : index
  tile.kernel @k {
    tile.role @send {
      tile.forall (%i) in [1] {
        %t = tile.load %a[%i] tile [64] : memref<64xf32> -> tensor<64xf32>
        %stored = tile.store %t, %inbox[%i] to %next : tensor<64xf32>, memref<64xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%zero] to %next publishes %stored : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%i) in [1] {
        %arrived = tile.wait system %sent[%zero] : !tile.signals<1>
        %t = tile.load %inbox[%i] tile [64] after %arrived : memref<64xf32, #tile.symmetric> -> tensor<64xf32>
      }
    }
  }
}

// -----

// Pull: every rank enters before its peers read, and leaves after they have read.
// CHECK-LABEL: @pull
// CHECK: progress = #tile<progress any>
tile.program @pull(%a: memref<64xf32, #tile.symmetric>, %b: memref<3x64xf32>) world 3 {
  %entered = tile.signals [3] : !tile.signals<1>
  %done = tile.signals [3] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %rank = tile.rank
  tile.kernel @k {
    tile.role @enter first {
      scf.for %peer = %zero to %three step %one {
        tile.signal system %entered[%rank] to %peer : !tile.signals<1>
      }
    }
    tile.role @gather {
      tile.forall (%from) in [3] {
        %in = tile.wait system %entered[%from] : !tile.signals<1>
        %t = tile.load %a[%zero] tile [64] from %from after %in : memref<64xf32, #tile.symmetric> -> tensor<64xf32>
        tile.store %t, %b[%from, %zero] : tensor<64xf32>, memref<3x64xf32>
      }
    }
    tile.role @leave last {
      scf.for %peer = %zero to %three step %one {
        tile.signal system %done[%rank] to %peer : !tile.signals<1>
      }
      %out = tile.wait system %done[%zero] count [%three] : !tile.signals<1>
    }
  }
}

// -----

// Kernels of one rank follow each other; atomics of one kind commute; one task orders its own accesses to an element;
// tokens travel through joins, loops and branches; views are composed and may be strided.
// CHECK-LABEL: @local
tile.program @local(%a: memref<64x64xf32>) world 1 {
  %sum = tile.alloc [64, 64] : memref<64x64xf32>
  %ready = tile.signals [2] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %rank = tile.rank
  tile.kernel @clear {
    tile.role @clear {
      tile.forall (%i) in [1] {
        %t = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
        tile.store %t, %sum[%zero, %zero] : tensor<64x64xf32>, memref<64x64xf32>
      }
    }
  }
  tile.kernel @add {
    tile.role @add {
      tile.forall (%i) in [4] {
        %t = tile.load %a[%zero, %zero] tile [64, 64] : memref<64x64xf32> -> tensor<64x64xf32>
        tile.atomic add %t, %sum[%zero, %zero] : tensor<64x64xf32>, memref<64x64xf32>
      }
    }
  }
  tile.kernel @halves {
    tile.role @write {
      tile.forall (%i) in [2] {
        %half = memref.subview %sum[%i, 0] [32, 64] [2, 1] : memref<64x64xf32> to memref<32x64xf32, strided<[128, 1], offset: ?>>
        %t = tile.load %half[%zero, %zero] tile [32, 64] : memref<32x64xf32, strided<[128, 1], offset: ?>> -> tensor<32x64xf32>
        %none = tile.join()
        %stored = scf.for %k = %zero to %two step %one iter_args(%token = %none) -> (!tile.token) {
          %row = memref.subview %half[0, 0] [32, 32] [1, 1] : memref<32x64xf32, strided<[128, 1], offset: ?>> to memref<32x32xf32, strided<[128, 1], offset: ?>>
          %s = tile.store %t, %half[%zero, %zero] : tensor<32x64xf32>, memref<32x64xf32, strided<[128, 1], offset: ?>> -> !tile.token
          %both = tile.join(%token, %s)
          scf.yield %both : !tile.token
        }
        tile.signal agent %ready[%i] to %rank publishes %stored : !tile.signals<1>
      }
    }
    tile.role @read {
      %columns = memref.dim %sum, %one : memref<64x64xf32>
      %most = arith.minsi %columns, %two : index
      tile.forall (%i) in [1] {
        %all = tile.wait agent %ready[%zero] count [%most] : !tile.signals<1>
        %t = tile.load %sum[%zero, %zero] tile [64, 64] after %all : memref<64x64xf32> -> tensor<64x64xf32>
      }
    }
  }
}

// -----

// A role that waits for a later group: the eight workgroups before it and one more must be resident.
// CHECK-LABEL: @later_group
// CHECK: tile.kernel @k attributes {progress = #tile<progress resident>, resident = 9 : i64}
tile.program @later_group(%a: memref<64xf32>) world 1 {
  %x = tile.alloc [1024] : memref<1024xf32>
  %ready = tile.signals [16] : !tile.signals<1>
  %rank = tile.rank
  tile.kernel @k {
    tile.role @wait on 8 workgroups {
      tile.forall (%i) in [16] {
        %t = tile.wait agent %ready[%i] : !tile.signals<1>
        %v = tile.load %x[%i] tile [64] after %t : memref<1024xf32> -> tensor<64xf32>
      }
    }
    tile.role @produce {
      tile.forall (%i) in [16] {
        %v = tile.splat 1.0 [64] : tensor<64xf32>
        %s = tile.store %v, %x[%i] : tensor<64xf32>, memref<1024xf32> -> !tile.token
        tile.signal agent %ready[%i] to %rank publishes %s : !tile.signals<1>
      }
    }
  }
}

// -----

// The pool before the group it waits for: everybody must be resident. Tasks that wait for later tickets of their group
// hold a workgroup each; those between them hold none.
// CHECK-LABEL: @later_ticket
// CHECK: tile.kernel @pool_first attributes {progress = #tile<progress all>, resident = 2 : i64}
// CHECK: tile.kernel @backwards attributes {progress = #tile<progress resident>, resident = 2 : i64}
// CHECK: tile.kernel @forwards attributes {progress = #tile<progress any>}
tile.program @later_ticket(%a: memref<64xf32>) world 2 {
  %early = tile.signals [1] : !tile.signals<1>
  %ready = tile.signals [5] : !tile.signals<1>
  %steps = tile.signals [5] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %rank = tile.rank
  %other = arith.subi %one, %rank : index
  tile.kernel @pool_first {
    tile.role @wait {
      %t = tile.wait system %early[%zero] : !tile.signals<1>
    }
    tile.role @produce on 2 workgroups {
      tile.forall (%i) in [1] {
        tile.signal system %early[%i] to %other : !tile.signals<1>
      }
    }
  }
  tile.kernel @backwards {
    tile.role @chain {
      tile.forall (%i) in [5] {
        %last = arith.cmpi slt, %i, %one : index
        scf.if %last {
          %three = arith.constant 3 : index
          %t = tile.wait agent %ready[%three] : !tile.signals<1>
        }
        tile.signal agent %ready[%i] to %rank : !tile.signals<1>
      }
    }
  }
  tile.kernel @forwards {
    tile.role @chain {
      tile.forall (%i) in [5] {
        %later = arith.cmpi sgt, %i, %zero : index
        scf.if %later {
          %before = arith.subi %i, %one : index
          %t = tile.wait agent %steps[%before] : !tile.signals<1>
        }
        tile.signal agent %steps[%i] to %rank : !tile.signals<1>
      }
    }
  }
}

// -----

// A word that is raised twice: the second time after the wait that the first satisfies.
// CHECK-LABEL: @raised_again
tile.program @raised_again(%a: memref<64xf32>) world 1 {
  %x = tile.alloc [64] : memref<64xf32>
  %word = tile.signals [1] : !tile.signals<1>
  %gate = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @one {
      tile.forall (%i) in [1] {
        %v = tile.splat 1.0 [64] : tensor<64xf32>
        %s = tile.store %v, %x[%i] : tensor<64xf32>, memref<64xf32> -> !tile.token
        tile.signal agent %word[%zero] to %zero publishes %s : !tile.signals<1>
        %g = tile.wait agent %gate[%zero] : !tile.signals<1>
        tile.signal agent %word[%zero] to %zero : !tile.signals<1>
      }
    }
    tile.role @two {
      tile.forall (%i) in [1] {
        %w = tile.wait agent %word[%zero] : !tile.signals<1>
        %v = tile.load %x[%i] tile [64] after %w : memref<64xf32> -> tensor<64xf32>
        tile.signal agent %gate[%zero] to %zero : !tile.signals<1>
      }
    }
  }
}

// -----

// A word that two tasks raise, the second after a wait that only the first can satisfy at once. A wait of a third knows what
// both know, and that is nothing; it needs nothing.
// CHECK-LABEL: @one_after_the_other
// CHECK: progress = #tile<progress resident>, resident = 2
tile.program @one_after_the_other(%a: memref<8xf32>) world 1 {
  %word = tile.signals [1] : !tile.signals<1>
  %gate = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @one {
      tile.forall (%i) in [1] {
        tile.signal agent %word[%zero] to %zero : !tile.signals<1>
      }
    }
    tile.role @two {
      tile.forall (%i) in [1] {
        %g = tile.wait agent %gate[%zero] : !tile.signals<1>
        tile.signal agent %word[%zero] to %zero : !tile.signals<1>
      }
    }
    tile.role @reader {
      tile.forall (%i) in [1] {
        %w = tile.wait agent %word[%zero] : !tile.signals<1>
      }
    }
    tile.role @opener {
      tile.forall (%i) in [1] {
        %w = tile.wait agent %word[%zero] : !tile.signals<1>
        tile.signal agent %gate[%zero] to %zero : !tile.signals<1>
      }
    }
  }
}

// -----

// Two ranks raise each other's word, at once and again after their own wait: each wait knows that the other rank has
// begun, whoever has raised it.
// CHECK-LABEL: @mutual
// CHECK: progress = #tile<progress any>
tile.program @mutual(%a: memref<8xf32, #tile.symmetric>) world 2 {
  %word = tile.signals [1] : !tile.signals<1>
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  %other = arith.subi %one, %rank : index
  tile.kernel @k {
    tile.role @at_once {
      tile.forall (%i) in [1] {
        tile.signal system %word[%zero] to %other : !tile.signals<1>
      }
    }
    tile.role @again {
      %w = tile.wait system %word[%zero] : !tile.signals<1>
      tile.forall (%i) in [1] {
        %t = tile.load %a[%zero] tile [8] from %other after %w : memref<8xf32, #tile.symmetric> -> tensor<8xf32>
        tile.signal system %word[%zero] to %other : !tile.signals<1>
        tile.signal system %done[%zero] to %other : !tile.signals<1>
      }
    }
    tile.role @leave last {
      %d = tile.wait system %done[%zero] : !tile.signals<1>
    }
  }
}

// -----

// A store, and a load of the same element after it in the task: the signal that follows the load covers both.
// CHECK-LABEL: @covered_by_load
tile.program @covered_by_load(%a: memref<8xf32>) world 1 {
  %x = tile.alloc [8] : memref<8xf32>
  %word = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @write {
      tile.forall (%i) in [1] {
        %v = tile.splat 1.0 [8] : tensor<8xf32>
        tile.store %v, %x[%i] : tensor<8xf32>, memref<8xf32>
        %again = tile.load %x[%i] tile [8] : memref<8xf32> -> tensor<8xf32>
        tile.signal agent %word[%i] to %zero : !tile.signals<1>
      }
    }
    tile.role @read {
      tile.forall (%i) in [1] {
        %w = tile.wait agent %word[%i] : !tile.signals<1>
        %t = tile.load %x[%i] tile [8] after %w : memref<8xf32> -> tensor<8xf32>
      }
    }
  }
}

// -----

// Orders are bijections for grids that divide by nothing.
// CHECK-LABEL: @orders
tile.program @orders(%a: memref<128x128xf32>) world 3 {
  %x = tile.alloc [13, 23] : memref<13x23xf32>
  tile.kernel @k {
    tile.role @one {
      tile.forall (%i, %j) in [13, 23] order [#tile.remap<8>, #tile.grouped<4>, #tile.rank_first<0>] {
        %v = tile.splat 1.0 [1, 1] : tensor<1x1xf32>
        tile.store %v, %x[%i, %j] : tensor<1x1xf32>, memref<13x23xf32>
      }
    }
  }
  tile.kernel @l {
    tile.role @two {
      tile.forall (%i, %j) in [13, 23] order [#tile.chunked<8, 3>, #tile.mapped<(d0) -> (298 - d0)>] {
        %v = tile.splat 1.0 [1, 1] : tensor<1x1xf32>
        tile.store %v, %x[%i, %j] : tensor<1x1xf32>, memref<13x23xf32>
      }
    }
  }
}
