// RUN: tilec run %s --world 1
// RUN: sed 's/f8E4M3FN/f8E5M2/g' %s > %t.e5.mlir && tilec run %t.e5.mlir --world 1
// RUN: sed 's/f8E4M3FN/f8E4M3FNUZ/g' %s > %t.fnuz.mlir && tilec run %t.fnuz.mlir --world 1

// Arithmetic, functions, comparisons and reductions of eight-bit floats.
!t = tensor<16x32xf8E4M3FN>
!m = memref<?x64xf8E4M3FN>
tile.program @eight<%M>(%a: !m, %b: !m, %c: !m, %d: memref<?xf8E4M3FN>, %e: memref<?xf8E4M3FN>) extents [%a: %M, 64] [%b: %M, 64] [%c: %M, 64] [%d: 2 * %M] [%e: 2 * %M] {
  tile.forall (%m, %n) in [%M ceildiv 16, 2] {
    %x = tile.load %a[%m, %n] tile [16, 32] : !m -> !t
    %y = tile.load %b[%m, %n] tile [16, 32] : !m -> !t
    %half = tile.splat 0.5 [16, 32] : !t
    %0 = arith.addf %x, %y : !t
    %1 = arith.mulf %0, %half : !t
    %2 = arith.subf %1, %y : !t
    %3 = arith.negf %2 : !t
    %4 = arith.maximumf %3, %x : !t
    %5 = math.absf %4 : !t
    %6 = math.sqrt %5 : !t
    %less = arith.cmpf olt, %x, %y : !t
    %7 = arith.select %less, %6, %4 : tensor<16x32xi1>, !t
    tile.store %7, %c[%m, %n] : !t, !m
    %sum = tile.reduce add %7 dim 1 : !t -> tensor<16xf8E4M3FN>
    %most = tile.reduce maximum %7 dim 1 : !t -> tensor<16xf8E4M3FN>
    %two = arith.constant 2 : index
    %first = arith.muli %m, %two : index
    %row = arith.addi %first, %n : index
    tile.store %sum, %d[%row] : tensor<16xf8E4M3FN>, memref<?xf8E4M3FN>
    tile.store %most, %e[%row] : tensor<16xf8E4M3FN>, memref<?xf8E4M3FN>
  }
}
