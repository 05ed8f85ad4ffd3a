// RUN: tilec run %s --world 1 --param BM=16

// A branch that yields a tile of parametric shape: its type did not follow from its operands.
tile.program @branch<%M>(%a: memref<?x64xi32>, %c: memref<?x64xi32>) extents [%a: %M, 64] [%c: %M, 64] {
  tile.param @BM in [16, 32]
  %one = arith.constant 1 : index
  tile.forall (%m, %n) over %c tiles [@BM, 32] : memref<?x64xi32> {
    %first = arith.cmpi slt, %m, %one : index
    %t = scf.if %first -> tensor<?x32xi32> {
      %x = tile.load %a[%m, %n] tile [@BM, 32] : memref<?x64xi32> -> tensor<?x32xi32>
      scf.yield %x : tensor<?x32xi32>
    } else {
      %z = tile.splat 7 [@BM, 32] : tensor<?x32xi32>
      scf.yield %z : tensor<?x32xi32>
    }
    tile.store %t, %c[%m, %n] : tensor<?x32xi32>, memref<?x64xi32>
  }
}
