// RUN: for p in $(%some specialized-pull bulk sequential-push); do tilec run %s --world 3 --pattern $p --skewed --memory weak --launches 2 --extents-from 2,20,70 || exit 1; done
// RUN: tilec run %s --world 2 --target sm_90a --extent B=1,M=40,N=24,K=72 --race
// The copy engine takes a matrix of those that lie side by side, of the copy of the scratch that is this launch's: a map of four dimensions.
// DEFINE: %{engine} = --world 2 --target sm_90a --pattern sequential-push
// RUN: tilec %s %{engine} --emit=hip > %t.hip && FileCheck %s --check-prefix=TEXT < %t.hip
// TEXT: all_feed = tilec::mapped_feed<AllRingShared>(tilec::view(all, {{.*}}), {matrix, m * 128, 0}, all_map, all_copy);
// TEXT: all_map = tilec::tensor_map<AllRingShared>(scratch, {2, B * 2, M, K}, {all_apart, static_cast<long long>(M) * K, K, 1});
// DEFINE: %{run} = tilec run %s %{engine} --extent B=2,M=72,N=136,K=200 --launches 2 --race
// RUN: %{run} --memory weak --shuffle
// The copy of another launch, and another matrix.
// RUN: sed 's/, all_map, all_copy)/, all_map, 0)/' %t.hip > %t.copy && not %{run} --text %t.copy 2>&1 | FileCheck %s --check-prefix=COPY
// COPY: unwritten: {{.*}} of %all, copy 0
// RUN: %if full %{ sed 's/{matrix, \(m . 128, 0}, all_map\)/{0, \1/' %t.hip > %t.first && not %{run} --text %t.first 2>&1 | FileCheck %s --check-prefix=FIRST %}
// FIRST: WRONG
// RUN: tilec %s %{engine} --until=prepare > %t.prepared
// DEFINE: %{check} = tilec-opt --pass-pipeline='builtin.module(tile.program(tile-check))' -o %t.out
// RUN: %{check} %t.prepared && sed '/ hip.copy_number /s/copies = 2/copies = 3/' %t.prepared | not %{check} 2>&1 | FileCheck %s --check-prefix=MAP
// RUN: sed -E 's/(hip.tensor_map %%scratch, )%%c2[_0-9]*, (%%[a-z0-9_]*), /\1\2, \2, /' %t.prepared | not %{check} 2>&1 | FileCheck %s --check-prefix=MAP
// MAP: 'hip.mapped_feed' op feeds from a view that its map does not describe

// Products side by side between ranks: each rank gives its matrices to all, multiplies all of them, and keeps the sums of its own.
tile.program @exchange<%B, %M, %N, %K>(%a: memref<?x?x?xbf16, #tile.symmetric>, %b: memref<?x?x?xbf16>, %d: memref<?x?x?xf32, #tile.symmetric>)
    extents [%a: %B, %M, %K] [%b: W * %B, %N, %K] [%d: %B, %M, %N] {
  %all = tile.alloc [W * %B, %M, %K] : memref<?x?x?xbf16, #tile.symmetric>
  %c = tile.alloc [W * %B, %M, %N] : memref<?x?x?xf32, #tile.symmetric>
  tile.all_gather %a into %all dim 0 : memref<?x?x?xbf16, #tile.symmetric>, memref<?x?x?xbf16, #tile.symmetric>
  tile.matmul %all, transpose %b into %c : memref<?x?x?xbf16, #tile.symmetric>, memref<?x?x?xbf16>, memref<?x?x?xf32, #tile.symmetric>
  tile.reduce_scatter %c into %d dim 0 : memref<?x?x?xf32, #tile.symmetric>, memref<?x?x?xf32, #tile.symmetric>
}
