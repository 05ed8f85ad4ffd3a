// What the copy engine cannot do is refused where it is asked for.
// RUN: split-file %s %t
// RUN: not tilec %t/sums.mlir --world 2 --pattern specialized-copy-engine --until=expand 2>&1 | FileCheck %s --check-prefix=SUMS
// SUMS: error: 'tile.program' op has nothing that the copy engine could do: it copies arguments that nothing before has written to other ranks, in pattern 'specialized-copy-engine', and sends what tasks store, in 'sequential-copy-engine'
// What tasks send, `fuse` knows.
// RUN: not tilec %t/gather.mlir --world 2 --pattern sequential-copy-engine 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tilec %examples/06_matmul_reduce_scatter/matmul_reduce_scatter.mlir --world 2 --target sm_90a --pattern sequential-copy-engine 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tilec %t/next.mlir --world 2 --target sm_90a --pattern sequential-copy-engine 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: 'tile.program' op has nothing that the copy engine could send in pattern 'sequential-copy-engine': expected a product whose tasks store parts of a sum to the ranks that own them, as 'tile.reduce_scatter' of bf16 behind 'tile.matmul' makes them, or tiles to all ranks, which nothing else of the program reads, as 'tile.all_gather' behind it does
// RUN: not tilec %t/computes.mlir --world 2 --until=fuse 2>&1 | FileCheck %s --check-prefix=COMPUTES
// COMPUTES: computes.mlir:3:3: error: 'tile.forall' op is the copy engine's, expected one load of this rank's memory whose tile is stored at the same indices to another rank
// RUN: not tilec %t/written.mlir --world 2 --until=fuse 2>&1 | FileCheck %s --check-prefix=WRITTEN
// WRITTEN: written.mlir:9:3: error: 'tile.forall' op is the copy engine's, which waits for nothing: expected a copy from an argument that nothing before has written, to where nothing before has been
// RUN: not tilec %t/many.mlir --world 2 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: 'tile.forall' op is the copy engine's, which counts as one workgroup: expected 'on 1 workgroups'
// RUN: not tilec %t/waits.mlir --world 2 2>&1 | FileCheck %s --check-prefix=WAITS
// WAITS: error: 'tile.role' op is the copy engine's, which waits for no signal of other ranks: expected its waits in a kernel before
// RUN: not tilec %t/group.mlir --world 2 2>&1 | FileCheck %s --check-prefix=MANYROLE
// MANYROLE: error: 'tile.role' op is the copy engine's, which counts as one workgroup: expected 'on 1 workgroups'
// RUN: not tilec %t/turned.mlir --world 2 --no-verify 2>&1 | FileCheck %s --check-prefix=TURNED
// TURNED: turned.mlir:5:7: error: 'tile.forall' op is the copy engine's, expected one load of this rank's memory whose tile is stored at the same indices to another rank
// RUN: not tilec %t/copies.mlir --world 2 --no-verify 2>&1 | FileCheck %s --check-prefix=COPIES
// COPIES: error: 'tile.move' op is of scratch with 2 copies, which launches take in turn: expected one, as the engine is told of places when a launch is captured
// RUN: not tilec %t/columns.mlir --world 2 --no-verify 2>&1 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: columns.mlir:5:7: error: 'tile.forall' op is the copy engine's, expected tiles of one row whose place is known before
// RUN: not tilec %t/made.mlir --world 2 2>&1 | FileCheck %s --check-prefix=MADE
// MADE: error: 'tile.wait' op would be the copy engine's, which waits for nothing in its tasks; expected another pattern

//--- sums.mlir
tile.program @sums<%M>(%a: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: W * %M, 64] [%c: %M, 64] {
  tile.reduce_scatter add %a into %c dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32>
}
//--- gather.mlir
tile.program @gather<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32, #tile.symmetric>) extents [%a: %M, 64] [%c: W * %M, 64] {
  tile.all_gather %a into %c dim 0 : memref<?x64xf32>, memref<?x64xf32, #tile.symmetric>
}
//--- next.mlir
// The next statement waits for each tile.
tile.program @next<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>, %e: memref<?x?xf32>)
    extents [%a: %M, %K] [%b: %N, %K] [%d: %K, W * %N] [%e: %M, %K] {
  %part = tile.alloc [%M, %N] : memref<?x?xbf16, #tile.symmetric>
  %c = tile.alloc [%M, W * %N] : memref<?x?xbf16, #tile.symmetric>
  tile.matmul %a, transpose %b into %part : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16, #tile.symmetric>
  tile.all_gather %part into %c dim 1 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %c, transpose %d into %e : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xf32>
}
//--- computes.mlir
tile.program @computes<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32, #tile.symmetric>) extents [%a: %M, 64] [%c: %M, 64] {
  %rank = tile.rank
  tile.forall (%i) in [%M ceildiv 64] on 1 workgroups attributes {engine} {
    %zero = arith.constant 0 : index
    %t = tile.load %a[%i, %zero] tile [64, 64] : memref<?x64xf32> -> tensor<64x64xf32>
    %u = arith.addf %t, %t : tensor<64x64xf32>
    tile.store %u, %c[%i, %zero] to %rank : tensor<64x64xf32>, memref<?x64xf32, #tile.symmetric>
  }
}
//--- written.mlir
tile.program @written<%M>(%a: memref<?x64xf32>, %c: memref<?x?x64xf32, #tile.symmetric>) extents [%a: %M, 64] [%c: W, %M, 64] {
  %zero = arith.constant 0 : index
  %rank = tile.rank
  %mine = memref.subview %c[%rank, 0, 0] [1, %M, 64] [1, 1, 1] : memref<?x?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  tile.forall (%i) in [%M ceildiv 64] {
    %t = tile.splat 1.0 [64, 64] : tensor<64x64xf32>
    tile.store %t, %a[%i, %zero] : tensor<64x64xf32>, memref<?x64xf32>
  }
  tile.forall (%p, %i) in [W, %M ceildiv 64] on 1 workgroups attributes {engine} {
    %t = tile.load %a[%i, %zero] tile [64, 64] : memref<?x64xf32> -> tensor<64x64xf32>
    tile.store %t, %mine[%i, %zero] to %p : tensor<64x64xf32>, memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  }
}
//--- many.mlir
tile.program @many<%M>(%a: memref<?x64xf32>, %c: memref<?x64xf32, #tile.symmetric>) extents [%a: %M, 64] [%c: %M, 64] {
  tile.forall (%p, %i) in [W, %M ceildiv 64] on 2 workgroups attributes {engine} {
  }
}
//--- waits.mlir
tile.program @waits(%c: memref<64xf32, #tile.symmetric>) {
  %zero = arith.constant 0 : index
  %s = tile.signals [1] : !tile.signals<1>
  tile.kernel @k {
    tile.role @send on 1 workgroups attributes {engine} {
      %t = tile.wait system %s[%zero] : !tile.signals<1>
    }
  }
}
//--- group.mlir
tile.program @group(%c: memref<64xf32, #tile.symmetric>) {
  tile.kernel @k {
    tile.role @send attributes {engine} {
    }
  }
}
//--- turned.mlir
tile.program @turned(%a: memref<64x64xf32>, %c: memref<64x64xf32, #tile.symmetric>) {
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @send on 1 workgroups attributes {engine} {
      tile.forall (%i) in [2] {
        %t = tile.load %a[%i, %zero] tile [32, 64] : memref<64x64xf32> -> tensor<32x64xf32>
        %o = arith.constant 1 : index
        %j = arith.subi %o, %i : index
        tile.store %t, %c[%j, %zero] to %zero : tensor<32x64xf32>, memref<64x64xf32, #tile.symmetric>
      }
    }
  }
}
//--- copies.mlir
tile.program @copies(%a: memref<64x64xf32>) {
  %zero = arith.constant 0 : index
  %x = tile.alloc [64, 64] {copies = 2 : i64} : memref<64x64xf32, #tile.symmetric>
  tile.kernel @k {
    tile.role @send on 1 workgroups attributes {engine} {
      tile.forall (%i) in [2] {
        %t = tile.load %a[%i, %zero] tile [32, 64] : memref<64x64xf32> -> tensor<32x64xf32>
        tile.store %t, %x[%i, %zero] to %zero : tensor<32x64xf32>, memref<64x64xf32, #tile.symmetric>
      }
    }
  }
}
//--- columns.mlir
tile.program @columns(%a: memref<64x128xf32>, %c: memref<64x128xf32, #tile.symmetric>) {
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @send on 1 workgroups attributes {engine} {
      tile.forall (%i) in [2] {
        %one = arith.constant 1 : index
        scf.for %j = %zero to %one step %one {
          %next = arith.addi %j, %one : index
          %t = tile.load %a[%i, %next] tile [32, 64] : memref<64x128xf32> -> tensor<32x64xf32>
          tile.store %t, %c[%i, %next] to %zero : tensor<32x64xf32>, memref<64x128xf32, #tile.symmetric>
        }
      }
    }
  }
}
//--- made.mlir
tile.program @made(%c: memref<2x64x64xf32, #tile.symmetric>) {
  %zero = arith.constant 0 : index
  %rank = tile.rank
  %x = tile.alloc [64, 64] : memref<64x64xf32>
  %mine = memref.subview %c[%rank, 0, 0] [1, 64, 64] [1, 1, 1] : memref<2x64x64xf32, #tile.symmetric> to memref<64x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  tile.kernel @k {
    tile.role @make {
      tile.forall (%i) in [2] {
        %t = tile.splat 1.0 [32, 64] : tensor<32x64xf32>
        tile.store %t, %x[%i, %zero] : tensor<32x64xf32>, memref<64x64xf32>
      }
    }
    tile.role @send on 1 workgroups attributes {engine} {
      tile.forall (%p, %i) in [2, 2] {
        %t = tile.load %x[%i, %zero] tile [32, 64] : memref<64x64xf32> -> tensor<32x64xf32>
        tile.store %t, %mine[%i, %zero] to %p : tensor<32x64xf32>, memref<64x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
      }
    }
  }
}
