// Partial sums that travel in the order of registers: as tasks store them, with tiles that reach beyond the shard, and sent from home by a wave of
// the producer, where products are long.
// RUN: tilec run %s --world 3 --target sm_90a --pattern sequential-push --extent M=100,N=200,K=72 --race --memory weak --shuffle --launches 3
// RUN: tilec run %s --world 2 --target sm_90a --pattern sequential-push --extent M=64,N=128,K=2304 --race --memory weak --shuffle
// RUN: tilec %s --world 3 --target sm_90a --pattern sequential-push --emit=hip | FileCheck %s
// CHECK: tilec::store<8>(out, {{.*}}, {m, n, 0}, tilec::packed);
// CHECK: tilec::load_live<OutLayout, 8>({{.*}}, {m, n, 0}, tilec::packed);
// RUN: tilec %s --world 2 --target sm_90a --pattern sequential-push --extent M=64,N=128,K=2304 --emit=hip | FileCheck %s --check-prefix=SENT
// SENT: tilec::relay<
tile.program @matmul_scatter<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: W * %M, %K] [%b: %N, %K] [%c: %M, %N] {
  %part = tile.alloc [W * %M, %N] : memref<?x?xbf16, #tile.symmetric>
  tile.matmul %a, transpose %b into %part tiles [64, 128, 64] : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16, #tile.symmetric>
  tile.reduce_scatter %part into %c dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>
}
