// RUN: tilec verify %s --world 1
// RUN: tilec run %s --world 1

// Extents asked for in a role and in its tasks, of an alloc, an argument and a view whose own extent is asked for between
// statements. Tasks over a buffer instead of written bounds, in a kernel: the cost model crashed.
tile.program @shift<%M>(%a: memref<?x256xf32>, %b: memref<?x256xf32>) extents [%a: %M, 256] [%b: %M, 256] {
  %s = tile.alloc [%M, 256] : memref<?x256xf32>
  %z = arith.constant 0 : index
  %size = arith.constant 32 : index
  %one = arith.constant 1 : index
  %rows = memref.dim %s, %z : memref<?x256xf32>
  %half = arith.ceildivsi %rows, %size : index
  %last = arith.subi %half, %one : index
  tile.kernel @shift {
    tile.role @tiles {
      %view = memref.subview %a[0, 0] [%rows, 256] [1, 1] : memref<?x256xf32> to memref<?x256xf32, strided<[256, 1]>>
      %extent = memref.dim %view, %z : memref<?x256xf32, strided<[256, 1]>>
      %same = memref.dim %a, %z : memref<?x256xf32>
      %no = arith.subi %extent, %same : index
      tile.forall (%m, %n) over %b tiles [32, 32] : memref<?x256xf32> {
        %scratch = memref.dim %s, %z : memref<?x256xf32>
        %columns = memref.dim %view, %one : memref<?x256xf32, strided<[256, 1]>>
        %n2 = arith.subi %scratch, %extent : index
        %n3 = arith.addi %n2, %no : index
        %x = arith.subi %last, %m : index
        %y = arith.addi %n, %n3 : index
        %t = tile.load %view[%x, %y] tile [32, 32] : memref<?x256xf32, strided<[256, 1]>> -> tensor<32x32xf32>
        tile.store %t, %b[%m, %n] : tensor<32x32xf32>, memref<?x256xf32>
      }
    }
  }
}
