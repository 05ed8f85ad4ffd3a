// RUN: tilec run %s --world 3 --launches 2 --race
// RUN: tilec run %s --world 1
// RUN: tilec run %s --world 2 --target sm_90a
// RUN: for pattern in bulk-push bulk-pull sequential-push sequential-pull specialized-push specialized-pull sequential-two-shot; do \
// RUN:   tilec run %s --world 3 --pattern $pattern || exit 1; done
// RUN: sed "s/f32/bf16/g" %s > %t.bf16.mlir && tilec run %t.bf16.mlir --world 2
// RUN: sed "s/f32/i32/g" %s > %t.i32.mlir && tilec run %t.i32.mlir --world 2
// RUN: sed "s/f32/i64/g" %s > %t.i64.mlir && tilec run %t.i64.mlir --world 2 --pattern bulk
// RUN: tilec verify %s --world 4 --minimal

// The greatest and the least over ranks, whole and in parts, in place too.
tile.program @collective_extrema<%M>(%a: memref<?x40xf32, #tile.symmetric>, %b: memref<?x40xf32, #tile.symmetric>, %c: memref<?x40xf32, #tile.symmetric>, %d: memref<?x40xf32>)
    extents [%a: W * %M, 40] [%b: W * %M, 40] [%c: %M, 40] [%d: %M, 40] {
  tile.all_reduce maximum %a into %b : memref<?x40xf32, #tile.symmetric>, memref<?x40xf32, #tile.symmetric>
  tile.reduce_scatter minimum %a into %d dim 0 : memref<?x40xf32, #tile.symmetric>, memref<?x40xf32>
  tile.all_reduce minimum %c into %c : memref<?x40xf32, #tile.symmetric>, memref<?x40xf32, #tile.symmetric>
}
