// Partial sums that travel in the order of registers: as tasks store them, with tiles that reach beyond the shard, and sent from home by a wave of
// the producer.
// RUN: tilec run %s --world 3 --target sm_90a --pattern sequential-push --extent M=100,N=200,K=72 --race --memory weak --shuffle --launches 3
// Columns that are no power of two: lanes hold 20 registers, which are 5 accesses of 4.
// RUN: sed 's/tiles \[64, 128, 64\]/tiles [64, 80, 64]/' %s > %t.80.mlir
// RUN: %if full %{ tilec run %t.80.mlir --world 2 --target sm_90a --pattern sequential-push --extent M=70,N=200,K=72 --memory weak %}
// RUN: tilec %t.80.mlir --world 2 --target sm_90a --pattern sequential-push --extent M=70,N=200,K=72 --until=pack | FileCheck %s --check-prefix=EIGHTY
// EIGHTY: tile.relabel {{.*}} -> tensor<5120xbf16, #
// RUN: tilec %t.80.mlir --world 2 --target sm_90a --pattern sequential-push --extent M=70,N=200,K=72 --emit=hip | FileCheck %s --check-prefix=WHOLE
// WHOLE: tilec::copying_run({{.*}}, {m, n, 0})
// WHOLE: tilec::load<{{.*}}>(tilec::shared<RunsRingShared>(slot * 10240
// RUN: tilec %s --world 3 --target sm_90a --pattern sequential-push --emit=hip | FileCheck %s
// CHECK: tilec::copying_run({{.*}}, {m, n, {{.*}}})
// CHECK: tilec::store<8>(out, {{.*}}, {m, n, 0}, tilec::packed);
// Of a machine with three units, whose workgroups have several tasks each.
// RUN: rm -rf %t && mkdir %t && sed 's/"units_per_chiplet": 132/"units_per_chiplet": 3/' %source/codegen/targets/sm_90a.json > %t/sm_90a.json
// RUN: env TILEC_TARGETS=%t tilec %s --world 2 --target sm_90a --pattern sequential-push --extent M=128,N=256,K=200 --emit=hip | FileCheck %s --check-prefix=SENT
// RUN: env TILEC_TARGETS=%t tilec run %s --world 2 --target sm_90a --pattern sequential-push --extent M=128,N=256,K=200 --race --memory weak --shuffle --launches 2
// SENT: tilec::relay<
tile.program @matmul_scatter<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: W * %M, %K] [%b: %N, %K] [%c: %M, %N] {
  %part = tile.alloc [W * %M, %N] : memref<?x?xbf16, #tile.symmetric>
  tile.matmul %a, transpose %b into %part tiles [64, 128, 64] : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16, #tile.symmetric>
  tile.reduce_scatter %part into %c dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>
}
