// RUN: sed 's/xT,/xf32,/g' %s > %t.f32.mlir && tilec run %t.f32.mlir --world 3
// RUN: sed 's/xT,/xbf16,/g' %s > %t.bf16.mlir && tilec run %t.bf16.mlir --world 1
// RUN: sed 's/xT,/xbf16,/g' %s > %t.bf16.mlir && tilec run %t.bf16.mlir --world 3 --pattern specialized-push
// RUN: sed 's/xT,/xi32,/g' %s > %t.i32.mlir && tilec run %t.i32.mlir --world 3
// RUN: sed 's/xT,/xi8,/g' %s > %t.i8.mlir && tilec run %t.i8.mlir --world 2
// RUN: sed 's/xT,/xi64,/g' %s > %t.i64.mlir && tilec run %t.i64.mlir --world 2 --target sm_90a
// RUN: sed 's/xT,/xf64,/g' %s > %t.f64.mlir && tilec run %t.f64.mlir --world 2

// Every collective of every type.
tile.program @collectives<%M>(%a: memref<?x40xT, #tile.symmetric>, %g: memref<?x40xT, #tile.symmetric>, %rs: memref<?x40xT, #tile.symmetric>, %ar: memref<?x40xT, #tile.symmetric>, %aa: memref<?x40xT, #tile.symmetric>, %sh: memref<?x40xT, #tile.symmetric>) extents [%a: W * %M, 40] [%g: W * W * %M, 40] [%rs: %M, 40] [%ar: W * %M, 40] [%aa: W * %M, 40] [%sh: W * %M, 40] {
  tile.all_gather %a into %g dim 0 : memref<?x40xT, #tile.symmetric>, memref<?x40xT, #tile.symmetric>
  tile.reduce_scatter %a into %rs dim 0 : memref<?x40xT, #tile.symmetric>, memref<?x40xT, #tile.symmetric>
  tile.all_reduce %a into %ar : memref<?x40xT, #tile.symmetric>, memref<?x40xT, #tile.symmetric>
  tile.all_to_all %a into %aa dim 0 : memref<?x40xT, #tile.symmetric>, memref<?x40xT, #tile.symmetric>
  tile.shift %a into %sh by 1 : memref<?x40xT, #tile.symmetric>, memref<?x40xT, #tile.symmetric>
}
