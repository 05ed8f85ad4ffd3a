// RUN: split-file %s %t
// RUN: not tilec-opt %t/resident.mlir --pass-pipeline='builtin.module(tile.program(tile-verify{resident-workgroups=8}))' 2>&1 | FileCheck %s --check-prefix=RESIDENT
// RUN: tilec-opt %t/resident.mlir --pass-pipeline='builtin.module(tile.program(tile-verify{resident-workgroups=9}))' -o /dev/null
// RUN: not tilec-opt %t/world.mlir --pass-pipeline='builtin.module(tile.program(tile-verify))' 2>&1 | FileCheck %s --check-prefix=WORLD
// RUN: not tilec-opt %t/parameter.mlir --pass-pipeline='builtin.module(tile.program(tile-verify))' 2>&1 | FileCheck %s --check-prefix=PARAMETER
// RUN: not tilec-opt %t/resident.mlir --pass-pipeline='builtin.module(tile.program(tile-verify{extents=M}))' 2>&1 | FileCheck %s --check-prefix=BINDING
// RUN: not tilec-opt %t/resident.mlir --pass-pipeline='builtin.module(tile.program(tile-verify{extents=M=3}))' 2>&1 | FileCheck %s --check-prefix=EXTENT
// RUN: not tilec-opt %t/many.mlir --pass-pipeline='builtin.module(tile.program(tile-verify{max-errors=1}))' 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: tilec-opt %t/budget.mlir --keep-names --pass-pipeline='builtin.module(tile.program(tile-verify{budget=15 extents=M=15,M=16}))' 2>&1 | FileCheck %s --check-prefix=BUDGET

// RUN: tilec-opt %t/budget.mlir --keep-names --pass-pipeline='builtin.module(tile.program(tile-verify{extents=M=1000000,M=1000001}))' 2>&1 | FileCheck %s --check-prefix=TASKS
// RUN: tilec-opt %t/budget.mlir --keep-names --pass-pipeline='builtin.module(tile.program(tile-verify{budget=15 extents=M=16,M=17}))' 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: sed 's/@k {/@k attributes {progress = #tile<progress resident>, resident = 3 : i64} {/' %t/budget.mlir > %t/claims.mlir
// RUN: tilec-opt %t/claims.mlir --keep-names --pass-pipeline='builtin.module(tile.program(tile-verify{budget=15 extents=M=16,M=17}))' 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: tilec-opt %t/signals.mlir --keep-names --pass-pipeline='builtin.module(tile.program(tile-verify{extents=M=1000001}))' 2>&1 | FileCheck %s --check-prefix=SIGNALS

// TASKS: warning: {{.*}}not verified for M=1000001: a launch has more than 1000000 tasks
// TASKS: samples = {{\[\[}}1000000]], skipped = {{\[\[}}1000001]]
// SIGNALS: warning: {{.*}}not verified for M=1000001: a launch has more than 1000000 signals on a rank
// BUDGET: warning: {{.*}}not verified for M=16: a launch has more than 15 accesses
// BUDGET: samples = {{\[\[}}15]], skipped = {{\[\[}}16]]
// BUDGET: tile.kernel @k attributes {progress = #tile<progress any>}
// NOTHING: warning: {{.*}}not verified for M=17: a launch has more than 15 accesses
// NOTHING: samples = [], skipped = {{\[\[}}16], [17]]
// NOTHING: tile.kernel @k {

// RESIDENT: error: {{.*}}a kernel with more spinning workgroups than can be resident: 9 must be resident, 8 can be
// RESIDENT: note: this wait spins
// RESIDENT: note: until this signal, of a workgroup that arrives later
// WORLD: error: {{.*}}world is not known: run 'tile-specialize' before 'tile-verify'
// PARAMETER: error: {{.*}}has parameters: run 'tile-specialize' before 'tile-verify'
// BINDING: error: {{.*}}extent 'M', expected NAME=VALUE with a value of 0 or more
// EXTENT: error: {{.*}}unknown extent 'M'
// MANY: error: {{.*}}waits for [0] of rank 0, which nothing raises
// MANY: error: {{.*}}1 more errors of the kernel form, not shown

//--- budget.mlir
tile.program @budget<%M>(%a: memref<?xf32>) world 1 extents [%a: %M] {
  tile.kernel @k {
    tile.role @read {
      tile.forall (%i) in [%M] {
        %v = tile.load %a[%i] tile [1] : memref<?xf32> -> tensor<1xf32>
      }
    }
  }
}

//--- signals.mlir
tile.program @signals<%M>() world 1 {
  %ready = tile.signals [%M] : !tile.signals<1>
  tile.kernel @k {
    tile.role @nothing {
      tile.forall (%i) in [1] {
      }
    }
  }
}

//--- resident.mlir
tile.program @later_group(%a: memref<64xf32>) world 1 {
  %ready = tile.signals [16] : !tile.signals<1>
  %rank = tile.rank
  tile.kernel @k {
    tile.role @wait on 8 workgroups {
      tile.forall (%i) in [16] {
        %t = tile.wait agent %ready[%i] : !tile.signals<1>
      }
    }
    tile.role @produce {
      tile.forall (%i) in [16] {
        tile.signal agent %ready[%i] to %rank : !tile.signals<1>
      }
    }
  }
}
//--- world.mlir
tile.program @world(%a: memref<64xf32>) {
}
//--- parameter.mlir
tile.program @parameter(%a: memref<64xf32>) world 1 {
  tile.param @BM in [32, 64]
  %ready = tile.signals [@BM] : !tile.signals<1>
  tile.kernel @k {
  }
}
//--- many.mlir
tile.program @many(%a: memref<64xf32>) world 1 {
  %ready = tile.signals [16] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @one {
      %t = tile.wait agent %ready[%zero] : !tile.signals<1>
    }
    tile.role @two on 1 workgroups {
      %t = tile.wait agent %ready[%zero] : !tile.signals<1>
    }
  }
}
