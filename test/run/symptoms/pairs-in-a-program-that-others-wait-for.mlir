// Behind a gather, rows of 656 bytes begin within sectors, and workgroups go in pairs. They left the launch before they ended as pairs, so that what the compiler had
// chosen by itself was refused.
// DEFINE: %{run} = tilec run %s --target sm_90a --extent M=128 --extent N=264 --extent K=328
// RUN: tilec %s --world 2 --target sm_90a --pattern bulk-push --extent M=128 --extent N=264 --extent K=328 --emit=hip | FileCheck %s
// RUN: %{run} --world 2 --pattern bulk-push --race --memory weak --shuffle --skewed --launches 3
// RUN: %{run} --world 2 --pattern bulk-pull --workgroups 2 --landing latest
// RUN: %if full %{ for w in 3 4 5 8; do %{run} --world $w --pattern bulk-pull --race --shuffle --skewed || exit 1; done %}
// CHECK: tilec::meet_pair();
// CHECK-NEXT: tilec::enter(context);
// CHECK: tilec::wait<tilec::system>
// CHECK: // multiply
// CHECK: tilec::copying_half(b_ring
// CHECK: tilec::end_pair<8>(empty);
// CHECK-NEXT: the last workgroup to leave
// CHECK: tilec::in_pairs(arguments->workgroups)
tile.program @pairs<%M, %N, %K>(%a: memref<?x?xbf16, #tile.symmetric>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: W * %M, %N] {
  %full = tile.alloc [W * %M, %K] : memref<?x?xbf16, #tile.symmetric>
  tile.all_gather %a into %full dim 0 : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16, #tile.symmetric>
  tile.matmul %full, transpose %b into %c : memref<?x?xbf16, #tile.symmetric>, memref<?x?xbf16>, memref<?x?xbf16>
}
