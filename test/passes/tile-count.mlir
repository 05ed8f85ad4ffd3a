// RUN: tilec-opt %s --split-input-file --pass-pipeline='builtin.module(tile.program(tile-count{target=gfx950}))' | FileCheck %s

// A wave copies a tile of 1024 bytes with one access. The first step has its operands once three copies alone are in flight, the others, which fill the slot that they
// multiply, once two are. A wait that has a count keeps it.
// CHECK-LABEL: @ring
// CHECK-COUNT-4: tile.copy_async
// CHECK: tile.await left 3
// CHECK: tile.steps
// CHECK: tile.await left 2
// CHECK: tile.await left 0
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
#s = #tile.shared<8, 2, 4>
tile.program @ring<%M, %K>(%a: memref<?x?xbf16>, %c: memref<?x16xf32>) extents [%a: %M, %K] [%c: %M, 16] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %count = tile.extent [%K ceildiv 32]
  tile.kernel @ring attributes {waves = 1} {
    tile.role @multiply {
      tile.forall (%m) in [%M ceildiv 16] {
        %lds = tile.shared_buffer : memref<4x16x32xbf16, #s>
        tile.copy_async %a[%m, %c0] -> %lds[%c0] : memref<?x?xbf16>, memref<4x16x32xbf16, #s>
        tile.copy_async %a[%m, %c1] -> %lds[%c1] : memref<?x?xbf16>, memref<4x16x32xbf16, #s>
        tile.copy_async %a[%m, %c2] -> %lds[%c2] : memref<?x?xbf16>, memref<4x16x32xbf16, #s>
        tile.copy_async %a[%m, %c3] -> %lds[%c3] : memref<?x?xbf16>, memref<4x16x32xbf16, #s>
        tile.await
        tile.meet
        %first = tile.shared_load %lds[%c0] : memref<4x16x32xbf16, #s> -> tensor<16x32xbf16, #rows>
        %last = tile.steps %count slots 4 carries(%first : tensor<16x32xbf16, #rows>) {
        ^bb0(%k: index, %slot: index, %part: tensor<16x32xbf16, #rows>):
          tile.await
          tile.meet
          %following = arith.addi %slot, %c1 : index
          %next = arith.remsi %following, %c4 : index
          %read = tile.shared_load %lds[%next] : memref<4x16x32xbf16, #s> -> tensor<16x32xbf16, #rows>
          tile.copy_async %a[%m, %k] -> %lds[%slot] : memref<?x?xbf16>, memref<4x16x32xbf16, #s>
          tile.next %read : tensor<16x32xbf16, #rows>
        }
        tile.await left 0
      }
    }
  }
}

// -----

// Of two rings the youngest slot that is read counts, and of two paths that on which less was issued; behind the last wait nothing is read.
// CHECK-LABEL: @paths
// CHECK: scf.if
// CHECK: tile.await left 2
// CHECK: tile.await left 0
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
#s = #tile.shared<8, 2, 4>
tile.program @paths<%M, %K>(%a: memref<?x?xbf16>, %c: memref<?x16xf32>) extents [%a: %M, %K] [%c: %M, 16] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel @paths attributes {waves = 1} {
    tile.role @multiply {
      tile.forall (%m) in [%M ceildiv 16] {
        %lds = tile.shared_buffer : memref<2x16x32xbf16, #s>
        %other = tile.shared_buffer : memref<2x16x32xbf16, #s>
        %some = arith.cmpi sgt, %m, %c0 : index
        tile.copy_async %a[%m, %c0] -> %lds[%c0] : memref<?x?xbf16>, memref<2x16x32xbf16, #s>
        tile.copy_async %a[%m, %c0] -> %other[%c0] : memref<?x?xbf16>, memref<2x16x32xbf16, #s>
        scf.if %some {
          tile.copy_async %a[%m, %c1] -> %lds[%c1] : memref<?x?xbf16>, memref<2x16x32xbf16, #s>
          tile.copy_async %a[%m, %c1] -> %other[%c1] : memref<?x?xbf16>, memref<2x16x32xbf16, #s>
          tile.copy_async %a[%m, %c1] -> %other[%c1] : memref<?x?xbf16>, memref<2x16x32xbf16, #s>
        } else {
          tile.copy_async %a[%m, %c1] -> %lds[%c1] : memref<?x?xbf16>, memref<2x16x32xbf16, #s>
          tile.copy_async %a[%m, %c1] -> %lds[%c1] : memref<?x?xbf16>, memref<2x16x32xbf16, #s>
        }
        tile.await
        tile.meet
        %x = tile.shared_load %lds[%c0] : memref<2x16x32xbf16, #s> -> tensor<16x32xbf16, #rows>
        %y = tile.shared_load %other[%c0] : memref<2x16x32xbf16, #s> -> tensor<16x32xbf16, #rows>
        tile.await
      }
    }
  }
}

// -----

// A loop may have no iteration: then what is read behind it is that of the wait before it, of which the copies of the loop are no part. Numbers of slots that
// are not known are those of all slots.
// CHECK-LABEL: @loops
// CHECK: tile.await left 1
// CHECK: scf.for
// CHECK: tile.await left 0
// CHECK: tile.await left 0
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
#s = #tile.shared<8, 2, 4>
tile.program @loops<%M, %K>(%a: memref<?x?xbf16>, %c: memref<?x16xf32>) extents [%a: %M, %K] [%c: %M, 16] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = tile.extent [%K ceildiv 32]
  tile.kernel @loops attributes {waves = 1} {
    tile.role @multiply {
      tile.forall (%m) in [%M ceildiv 16] {
        %lds = tile.shared_buffer : memref<2x16x32xbf16, #s>
        tile.copy_async %a[%m, %c0] -> %lds[%c0] : memref<?x?xbf16>, memref<2x16x32xbf16, #s>
        tile.copy_async %a[%m, %c0] -> %lds[%c1] : memref<?x?xbf16>, memref<2x16x32xbf16, #s>
        tile.await
        scf.for %k = %c0 to %count step %c1 {
          tile.copy_async %a[%m, %k] -> %lds[%c0] : memref<?x?xbf16>, memref<2x16x32xbf16, #s>
          tile.copy_async %a[%m, %k] -> %lds[%c0] : memref<?x?xbf16>, memref<2x16x32xbf16, #s>
          tile.await
        }
        tile.meet
        %x = tile.shared_load %lds[%c0] : memref<2x16x32xbf16, #s> -> tensor<16x32xbf16, #rows>
        tile.await
        tile.meet
        %y = tile.shared_load %lds[%m] : memref<2x16x32xbf16, #s> -> tensor<16x32xbf16, #rows>
      }
    }
  }
}

// -----

// How many steps there are is not known, so none of their copies may be left behind them. Of two branches one waits, so that what is read behind both may be
// that of the wait before; a wait for all settles what was before it.
// CHECK-LABEL: @steps_and_branches
// CHECK: tile.await left 0
// CHECK: tile.await left 1
// CHECK: scf.if
// CHECK: tile.await left 1
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
#s = #tile.shared<8, 2, 4>
tile.program @steps_and_branches<%M, %K>(%a: memref<?x?xbf16>, %c: memref<?x16xf32>) extents [%a: %M, %K] [%c: %M, 16] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = tile.extent [%K ceildiv 32]
  tile.kernel @steps attributes {waves = 1} {
    tile.role @multiply {
      tile.forall (%m) in [%M ceildiv 16] {
        %lds = tile.shared_buffer : memref<2x16x32xbf16, #s>
        %some = arith.cmpi sgt, %m, %c0 : index
        tile.copy_async %a[%m, %c0] -> %lds[%c0] : memref<?x?xbf16>, memref<2x16x32xbf16, #s>
        tile.steps %count slots 2 {
        ^bb0(%k: index, %slot: index):
          tile.copy_async %a[%m, %k] -> %lds[%slot] : memref<?x?xbf16>, memref<2x16x32xbf16, #s>
          tile.next
        }
        tile.await
        tile.meet
        %x = tile.shared_load %lds[%c0] : memref<2x16x32xbf16, #s> -> tensor<16x32xbf16, #rows>
        tile.copy_async %a[%m, %c0] -> %lds[%c0] : memref<?x?xbf16>, memref<2x16x32xbf16, #s>
        tile.copy_async %a[%m, %c0] -> %lds[%c1] : memref<?x?xbf16>, memref<2x16x32xbf16, #s>
        tile.await
        scf.if %some {
          tile.await
        }
        tile.meet
        %y = tile.shared_load %lds[%c0] : memref<2x16x32xbf16, #s> -> tensor<16x32xbf16, #rows>
        tile.await left 0
      }
    }
  }
}
