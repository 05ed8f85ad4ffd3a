// RUN: tilec verify %s --world 2
// RUN: tilec run %s --world 2 --pattern sequential-push
// RUN: tilec run %s --world 2 --pattern specialized-push
// RUN: tilec run %s --world 2 --pattern bulk

// Extents of an alloc, an argument, views of them and a view of a view, asked for between statements and inside: what was
// computed from one that is asked for between statements stood behind its uses.
tile.program @reverse<%M>(%a: memref<?x256xf32, #tile.symmetric>, %b: memref<?x256xf32>)
    extents [%a: %M, 256] [%b: W * %M, 256] {
  %full = tile.alloc [W * %M, 256] : memref<?x256xf32, #tile.symmetric>
  tile.all_gather %a into %full dim 0 : memref<?x256xf32, #tile.symmetric>, memref<?x256xf32, #tile.symmetric>
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.constant 32 : index
  %all = memref.dim %full, %z : memref<?x256xf32, #tile.symmetric>
  %mine = memref.dim %a, %z : memref<?x256xf32, #tile.symmetric>
  %some = arith.subi %all, %mine : index
  %view = memref.subview %full[%mine, 0] [%some, 256] [1, 1]
      : memref<?x256xf32, #tile.symmetric> to memref<?x256xf32, strided<[256, 1], offset: ?>, #tile.symmetric>
  %rest = memref.dim %view, %z : memref<?x256xf32, strided<[256, 1], offset: ?>, #tile.symmetric>
  %rows = arith.addi %rest, %mine : index
  %count = arith.ceildivui %rows, %size : index
  %last = arith.subi %count, %one : index
  tile.forall (%m, %n) over %b tiles [32, 32] : memref<?x256xf32> {
    %x = arith.subi %last, %m : index
    %t = tile.load %full[%x, %n] tile [32, 32] : memref<?x256xf32, #tile.symmetric> -> tensor<32x32xf32>
    tile.store %t, %b[%m, %n] : tensor<32x32xf32>, memref<?x256xf32>
  }
}
