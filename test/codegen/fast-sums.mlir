// Matrix instructions that keep fewer bits of their inner sums are for products that say `accumulate fast`, or nothing: then each step's
// sums are added in f32.
// RUN: tilec %s --world 1 --target sm_90a --emit=hip | FileCheck %s --check-prefix=PROMOTED
// RUN: sed 's/, %%sum :/, %%sum accumulate promoted :/' %s | tilec - --world 1 --target sm_90a --emit=hip | FileCheck %s --check-prefix=PROMOTED
// RUN: sed 's/, %%sum :/, %%sum accumulate exact :/' %s | tilec - --world 1 --target sm_90a --emit=hip | FileCheck %s --check-prefix=EXACT
// RUN: sed 's/, %%sum :/, %%sum accumulate fast :/' %s | tilec - --world 1 --target sm_90a --emit=hip | FileCheck %s --check-prefix=FAST
// EXACT-NOT: Wgmma
// EXACT: tilec::Mma16x8x32<tilec::fp8_e4m3>
// EXACT-NOT: Wgmma
// PROMOTED: tilec::await_full<slot>(full);
// PROMOTED-NEXT: tilec::multiply_promoted<tilec::Wgmma64x128x32<tilec::fp8_e4m3>, tilec::transposed_b>(acc, a_ring.slot<slot>(), b_ring.slot<slot>());
// PROMOTED-NEXT: tilec::release_step(empty, k);
// PROMOTED-NOT: release_step
// FAST: tilec::multiply_async<tilec::Wgmma64x128x32<tilec::fp8_e4m3>
// A tile of 256 columns has twice 128 sums in two instructions: what is added at a time is half of them.
// DEFINE: %{wide} = %source/bench/gpu/matmul_fp8.mlir --world 1 --target sm_90a --param BM=128,BN=256,BK=128
// RUN: tilec %{wide} --emit=hip | FileCheck %s --check-prefix=WIDE
// WIDE: tilec::by_role<8, 24, 240>
// WIDE: tilec::multiply_promoted<tilec::Wgmma64x128x32<tilec::fp8_e4m3>
// RUN: tilec run %{wide} --extent M=130,N=264,K=272

// The oracle judges each.
// RUN: tilec run %s --target sm_90a --extent M=130,N=144,K=272
// RUN: sed 's/, %%sum :/, %%sum accumulate fast :/' %s > %t.fast.mlir
// RUN: sed 's/, %%sum :/, %%sum accumulate exact :/' %s > %t.exact.mlir
// RUN: %if full %{ tilec run %t.exact.mlir --target sm_90a --extent M=130,N=144,K=272 %}
// RUN: tilec run %t.fast.mlir --target sm_90a --extent M=130,N=144,K=272

!a = memref<?x?xf8E4M3FN>
!t = tensor<128x128xf8E4M3FN>
tile.program @product<%M, %N, %K>(%a: !a, %b: !a, %c: memref<?x?xf32>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.forall (%m, %n) in [%M ceildiv 128, %N ceildiv 128] {
    %zero = tile.splat 0.0 [128, 128] : tensor<128x128xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %steps = tile.extent [%K ceildiv 128]
    %acc = scf.for %k = %c0 to %steps step %c1 iter_args(%sum = %zero) -> tensor<128x128xf32> {
      %ta = tile.load %a[%m, %k] tile [128, 128] : !a -> !t
      %tb = tile.load %b[%n, %k] tile [128, 128] : !a -> !t
      %next = tile.dot %ta, transpose %tb, %sum : !t, !t, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    tile.store %acc, %c[%m, %n] : tensor<128x128xf32>, memref<?x?xf32>
  }
}
