// Orders by name, one piece or several: the checker proves them, each task is done once on all ranks, for every number of tasks.
// RUN: tilec %s --world 1 --order diagonal --emit=hip | FileCheck %s --check-prefix=DIAGONAL
// RUN: tilec %s --world 1 --order chunked-16+diagonal --emit=hip | FileCheck %s --check-prefix=CHUNKS
// RUN: tilec %s --world 1 --order chunked-2+grouped-3+rank-first --emit=hip | FileCheck %s --check-prefix=WINDOWS
// RUN: tilec explain %s --world 1 --order remap+diagonal | FileCheck %s --check-prefix=EXPLAINED
// RUN: for o in $(%some diagonal remap+grouped-8 chunked-2+diagonal+rank-first chunked-2+grouped-3 remap+diagonal diagonal+rank-first); do tilec verify %s --world 2 --order $o && tilec run %s --world 2 --order $o --extents-from 1,70 --launches 4 --shuffle || exit 1; done

// DIAGONAL-LABEL: products_kernel
// DIAGONAL: const auto tile = tilec::diagonal(task, {m_tiles, n_tiles});
// DIAGONAL: const int outer = {{.*}} / plane;
// DIAGONAL: const auto tile{{.*}} = tilec::diagonal(inner, {m_tiles{{.*}}, n_tiles{{.*}}});
// CHUNKS: const int chunked = tilec::chunked(task, multiply_tasks, 8, 16);
// CHUNKS: const auto tile = tilec::diagonal(chunked, {m_tiles, n_tiles});
// WINDOWS: const int chunked = tilec::chunked(task, multiply_tasks, 8, 2);
// WINDOWS: const auto tile = tilec::grouped(chunked, {m_tiles, n_tiles}, 3);
// EXPLAINED: order of {{.*}}: [#tile.remap<8>, #tile.diagonal]
tile.program @products<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>, %x: memref<3x?x?xf32>, %y: memref<3x?x?xf32>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] [%x: 3, %M, %N] [%y: 3, %M, %N] {
  tile.matmul %a, transpose %b into %c tiles [16, 16, 16] : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32>
  tile.forall (%p, %m, %n) in [3, %M ceildiv 8, %N ceildiv 16] {
    %t = tile.load %x[%p, %m, %n] tile [8, 16] : memref<3x?x?xf32> -> tensor<8x16xf32>
    %d = arith.addf %t, %t : tensor<8x16xf32>
    tile.store %d, %y[%p, %m, %n] : tensor<8x16xf32>, memref<3x?x?xf32>
  }
}
