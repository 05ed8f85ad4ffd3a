// Two shots behind a product: a block of the result for each rank. Blocks of rows where they have as few tasks, so that no task has less than a
// tile; of few rows blocks of columns, which read the operand on the right once.
// RUN: tilec %s --world 4 --target sm_90a --pattern sequential-push-two-shot --extent M=512,N=512,K=128 --until=expand | FileCheck %s --check-prefix=ROWS
// RUN: tilec %s --world 4 --target sm_90a --pattern sequential-push-two-shot --extent M=64,N=512,K=128 --until=expand | FileCheck %s --check-prefix=COLUMNS
// Where ranks have no equal blocks of rows, and where neither.
// RUN: tilec %s --world 4 --target sm_90a --pattern sequential-push-two-shot --extent M=514,N=512,K=128 --until=expand | FileCheck %s --check-prefix=COLUMNS
// RUN: tilec %s --world 4 --target sm_90a --pattern sequential-push-two-shot --extent M=514,N=514,K=128 --until=expand | FileCheck %s --check-prefix=NONE

// ROWS: tile.forall (%shard, %m, %n) in [4, 2, 8]
// ROWS: memref.subview %a[%{{.*}}, 0] [128, 128]
// ROWS: memref.subview %part[%{{.*}}, 0] [128, 512]
// ROWS: tile.alloc [4, 128, 512]
// COLUMNS: tile.forall (%shard, %m, %n) in [4, {{[0-9]+}}, 2]
// COLUMNS: memref.subview %b[%{{.*}}, 0] [128, 128]
// COLUMNS: tile.load %a [%m, %k]
// COLUMNS: memref.subview %part[0, %{{.*}}] [{{[0-9]+}}, 128]
// COLUMNS: tile.alloc [4, {{[0-9]+}}, 128]
// NONE: tile.forall (%m, %n) in [9, 9]
tile.program @matmul_all_reduce<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16, #tile.symmetric>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  %part = tile.alloc [%M, %N] : memref<?x?xbf16, #tile.symmetric>
  tile.matmul %a, transpose %b into %part tiles [64, 64, 64] : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16, #tile.symmetric>
  tile.all_reduce %part into %c : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
}
