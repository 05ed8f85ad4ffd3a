// A left operand that lies K x M goes through the rings that a right one that lies K x N does: fetched across (gfx942), copied past the registers and
// turned as it is read (gfx950), copied by an engine and turned by the products (sm_90a). Rows and columns outside of the views, a rest of the
// depth, views whose rows are not aligned, which take the loop without a ring, and columns that end inside of a vector.
// DEFINE: %{text} = tilec %s --emit=hip --world 1 --param BM=64,BN=64,BK=64
// RUN: %{text} --target gfx942 | FileCheck %s --check-prefix=ACROSS
// RUN: %{text} --target gfx950 | FileCheck %s --check-prefix=ROWS
// DEFINE: %{run} = tilec run %s --world 1 --param BM=64,BN=64,BK=64 --memory weak --shuffle
// RUN: for target in gfx942 gfx950 sm_90a; do for extents in $(%some M=200,N=136,K=456 M=72,N=8,K=64 M=1,N=200,K=136); do \
// RUN:   %{run} --target $target --extent $extents,P=0 || exit 1; done; done
// RUN: %{run} --target gfx942 --extent M=72,N=136,K=328,P=8 --race && %{run} --target gfx942 --extent M=133,N=72,K=200,P=3
// RUN: %if full %{ %{run} --target gfx950 --extent M=133,N=72,K=200,P=3 && %{run} --target gfx950 --extent M=131,N=72,K=196,P=5 %}
// DEFINE: %{engine} = tilec run %s --world 1 --target sm_90a --param BM=128,BN=128,BK=64 --memory weak --shuffle
// RUN: %{engine} --race --extent M=200,N=264,K=456,P=0 && %{engine} --extent M=72,N=136,K=200,P=8 && %{engine} --extent M=130,N=133,K=137,P=0
// RUN: tilec %s --emit=hip --world 1 --target sm_90a --param BM=128,BN=128,BK=64 | FileCheck %s --check-prefix=ENGINE
// ENGINE: a_feed = tilec::mapped_feed<{{.*}}>({{.*}}, {0, m * 128}, a_map, tilec::by_rows);
// ENGINE: tilec::multiply_async<tilec::Wgmma64x128x16<tilec::bf16>, tilec::transposed_a>(acc, a_ring.slot<slot>(), b_ring.slot<slot>());
// ACROSS: a_regular = tilec::is_regular<64, {{[48]}}>({{.*}}, {0, m * 64}, tilec::across);
// ACROSS: a_feed = tilec::feed<{{.*}}>({{.*}}, {0, m * 64}, tilec::across);
// ACROSS: tilec::by_slot
// In the ring both lie with their depth along the rows.
// ACROSS: tilec::multiplying<tilec::Mfma{{.*}}, tilec::transposed_b>
// ACROSS: tilec::mma<tilec::Mfma{{.*}}, tilec::transposed_a>
// ROWS: a_feed = tilec::direct_feed<{{.*}}>({{.*}}, {0, m * 64}, tilec::by_rows);
// ROWS: tilec::by_slot
// ROWS: tilec::multiplying<tilec::Mfma{{.*}}, tilec::transposed_a>
// The operands change places, and the right one is transposed too; a matrix times itself is read as both.
// RUN: %if full %{ %{engine} --schedule=swapped=true --extent M=200,N=264,K=200,P=0 && %{run} --schedule=swapped=true --extent M=72,N=136,K=200,P=0 %}
// RUN: sed 's/%%a, %%b into/%%a, transpose %%b into/;s/%%b: %%K, %%N/%%b: %%N, %%K/' %s > %t.both.mlir && tilec %t.both.mlir --emit=hip --world 1 --target sm_90a --param BM=128,BN=128,BK=64 | FileCheck %s --check-prefix=BOTH
// RUN: for target in $(%some gfx942 gfx950 sm_90a); do tilec run %t.both.mlir --world 1 --target $target --extent M=72,N=136,K=200,P=0 || exit 1; done
// RUN: sed 's/%%a, %%b into/%%a, %%a into/;s/%%c: %%M, %%N/%%c: %%M, %%M/;s/memref<?x?xbf16>, memref<?x?xf32>$/memref<?x?xbf16, strided<[?, 1]>>, memref<?x?xf32>/' %s > %t.square.mlir && tilec run %t.square.mlir --world 1 --target sm_90a --extent M=136,N=136,K=200,P=0 && \
// RUN:   tilec run %t.square.mlir --world 1 --extent M=136,N=136,K=200,P=0
// BOTH: tilec::multiply_async<tilec::Wgmma64x128x16<tilec::bf16>, tilec::transposed_a + tilec::transposed_b>(
tile.program @product<%M, %N, %K, %P>(%a: memref<?x?xbf16, strided<[?, 1]>>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>)
    extents [%a: %K, %M strides %M + %P, 1] [%b: %K, %N] [%c: %M, %N] {
  tile.matmul transpose %a, %b into %c : memref<?x?xbf16, strided<[?, 1]>>, memref<?x?xbf16>, memref<?x?xf32>
}
