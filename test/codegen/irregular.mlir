// RUN: tilec %s --world 1 --target gfx942 --emit=hip | FileCheck %s
// RUN: tilec %s --world 1 --target sm_90a --emit=hip | FileCheck %s

// Indices lie in the layout of the tile along one dimension; vectors are as wide as those of a load, but where each element has an index.
// CHECK-LABEL: void irregular_kernel
// CHECK: const int count = tilec::number(tilec::view(counts, {64}, {1}), {task}, V);
// CHECK: const auto list = tilec::load<ListLayout, 1>(
// CHECK: const auto rows = tilec::gather<{{.*}}, 0, 8>(tilec::view(table, {V, 64}, {64, 1}), {0, 0}, list);
// CHECK: const auto element{{.*}} = tilec::gather<{{.*}}, 1, 1>(tilec::view(table, {V, 64}, {64, 1}), {count, 0}, {{.*}});
// CHECK: tilec::scatter<0, 8>(rows, tilec::view(out, {V, 64}, {64, 1}), {0, 0}, list);
tile.program @irregular<%V>(%ids: memref<64xi32>, %counts: memref<64xi32>, %table: memref<?x64xbf16>, %out: memref<?x64xbf16>, %elements: memref<64x32xbf16>)
    extents [%table: %V, 64] [%out: %V, 64] indices [%ids: %V distinct] [%counts: %V] {
  tile.forall (%m) in [2] {
    %c0 = arith.constant 0 : index
    %count = tile.read %counts[%m] upto %V : memref<64xi32>
    %list = tile.load %ids[%m] tile [32] : memref<64xi32> -> tensor<32xi32>
    %rows = tile.gather %table[each %list, %c0] tile [32, 64] : memref<?x64xbf16>, tensor<32xi32> -> tensor<32x64xbf16>
    %element = tile.gather %table at (%count, each %list) tile [32] : memref<?x64xbf16>, tensor<32xi32> -> tensor<32xbf16>
    tile.scatter %rows, %out[each %list, %c0] : tensor<32x64xbf16>, memref<?x64xbf16>, tensor<32xi32>
    tile.store %element, %elements[%m, %c0] : tensor<32xbf16>, memref<64x32xbf16>
  }
}
