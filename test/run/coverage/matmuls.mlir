// RUN: sed 's/xT>/xi8>/g;s/xS>/xi32>/g' %s > %t.i8.mlir && tilec run %t.i8.mlir --world 1 --extent M=40
// RUN: sed 's/xT>/xi32>/g;s/xS>/xi32>/g' %s > %t.i32.mlir && tilec run %t.i32.mlir --world 1 --extent M=40
// RUN: sed 's/xT>/xf64>/g;s/xS>/xf64>/g' %s > %t.f64.mlir && tilec run %t.f64.mlir --world 1 --extent M=40
// RUN: sed 's/xT>/xf8E4M3FNUZ>/g;s/xS>/xbf16>/g' %s > %t.fp8.mlir && tilec run %t.fp8.mlir --world 1 --extent M=40

// The product of matrices of every type, in tiles that the compiler chooses.
tile.program @product<%M>(%a: memref<?x72xT>, %b: memref<48x72xT>, %c: memref<?x48xS>) extents [%a: %M, 72] [%c: %M, 48] {
  tile.matmul %a, transpose %b into %c : memref<?x72xT>, memref<48x72xT>, memref<?x48xS>
}
