// A right operand that lies K x N goes through a ring on both machines: rows that are fetched across (gfx942) or copied past the registers and turned as
// they are read (gfx950), rows and columns outside of the views, a rest, views whose rows are not aligned, which take the loop without a ring, and columns
// that end inside of a vector.
// DEFINE: %{text} = tilec %s --emit=hip --world 1 --param BM=64,BN=64,BK=64
// RUN: %{text} --target gfx942 | FileCheck %s --check-prefix=ACROSS
// RUN: %{text} --target gfx950 | FileCheck %s --check-prefix=ROWS
// DEFINE: %{run} = tilec run %s --world 1 --param BM=64,BN=64,BK=64 --memory weak --shuffle
// RUN: for target in gfx942 gfx950 sm_90a; do for extents in $(%some M=200,N=136,K=456 M=72,N=8,K=64 M=1,N=200,K=136); do \
// RUN:   %{run} --target $target --extent $extents,P=0 || exit 1; done; done
// RUN: %{run} --target gfx942 --extent M=72,N=136,K=328,P=8 --race && %{run} --target gfx942 --extent M=72,N=133,K=200,P=3
// RUN: %if full %{ %{run} --target gfx950 --extent M=72,N=133,K=200,P=3 && %{run} --target gfx950 --extent M=72,N=131,K=196,P=5 %}
// On sm_90a the copy engine takes rows as they lie, and the products turn them; what it cannot read takes a kernel of its own.
// DEFINE: %{engine} = tilec run %s --world 1 --target sm_90a --param BM=128,BN=128,BK=64 --memory weak --shuffle
// RUN: %{engine} --race --extent M=200,N=264,K=456,P=0 && %{engine} --extent M=72,N=136,K=200,P=8 && %{engine} --extent M=130,N=133,K=137,P=0
// RUN: tilec %s --emit=hip --world 1 --target sm_90a --param BM=128,BN=128,BK=64 | FileCheck %s --check-prefix=ENGINE
// ENGINE: template <bool mapped> __global__
// ENGINE: streamed = mapped ? steps : 0;
// ENGINE: b_feed = tilec::mapped_feed<{{.*}}>({{.*}}, {0, n * 128}, b_map, tilec::by_rows);
// ENGINE: tilec::multiply_async<tilec::Wgmma64x128x16<tilec::bf16>>(acc, a_ring.slot<slot>(), b_ring.slot<slot>());
// ENGINE: mapped = tilec::are_mapped(a_map, b_map);
// ENGINE: tilec::launch_kernel(tilec::either(mapped, product_kernel<true>, product_kernel<false>)
// An instruction takes whole panels of 64 columns: narrower ones stay with the ring.
// RUN: tilec %s --emit=hip --world 1 --target sm_90a --param BM=64,BN=64,BK=64 | FileCheck %s --check-prefix=NARROW --implicit-check-not=mapped_feed
// NARROW: tilec::mma<
// ACROSS: b_regular = tilec::is_regular<64, {{[48]}}>({{.*}}, {0, n * 64}, tilec::across);
// ACROSS: b_feed = tilec::feed<{{.*}}>({{.*}}, {0, n * 64}, tilec::across);
// ACROSS: tilec::by_slot
// ACROSS: tilec::multiplying<tilec::Mfma{{.*}}, tilec::transposed_b>
// ROWS: b_feed = tilec::direct_feed<{{.*}}>({{.*}}, {0, n * 64}, tilec::by_rows);
// ROWS: tilec::by_slot
tile.program @product<%M, %N, %K, %P>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16, strided<[?, 1]>>, %c: memref<?x?xf32>)
    extents [%a: %M, %K] [%b: %K, %N strides %N + %P, 1] [%c: %M, %N] {
  tile.matmul %a, %b into %c : memref<?x?xbf16>, memref<?x?xbf16, strided<[?, 1]>>, memref<?x?xf32>
}
