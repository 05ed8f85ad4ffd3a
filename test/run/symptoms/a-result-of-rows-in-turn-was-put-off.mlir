// Slots whose rows no other task reads have one text, so that no step knows which part of a result it would store. The compiler put the result off for all that,
// and refused what it had made. One tensor has keys and values here.
// DEFINE: %{text} = tilec %s --world 1 --target sm_90a --emit=hip
// RUN: %{text} | FileCheck %s --implicit-check-not=deferred
// CHECK: tilec::produce_in_turn<
// CHECK: tilec::by_turn<
// RUN: tilec run %s --world 1 --target sm_90a --race --memory weak --shuffle --extent H=2,T=200
tile.program @mla<%H, %T>(%q: memref<?x64x128xbf16>, %k: memref<?x?x128xbf16>, %o: memref<?x64x128xbf16>)
    world 1 extents [%q: %H, 64, 128] [%k: %H, %T, 128] [%o: %H, 64, 128] {
  %blocks = tile.extent [%T ceildiv 64]
  tile.forall (%h) in [%H] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %qt = tile.load %q[%h, %c0, %c0] tile [64, 128] : memref<?x64x128xbf16> -> tensor<64x128xbf16>
    %nothing = tile.splat 0.0 [64, 128] : tensor<64x128xf32>
    %no_scores = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
    %acc = scf.for %n = %c0 to %blocks step %c1 iter_args(%a0 = %nothing) -> (tensor<64x128xf32>) {
      %kt = tile.load %k[%h, %n, %c0] tile [64, 128] : memref<?x?x128xbf16> -> tensor<64x128xbf16>
      %dots = tile.dot %qt, transpose %kt, %no_scores : tensor<64x128xbf16>, tensor<64x128xbf16>, tensor<64x64xf32>
      %p = math.tanh %dots : tensor<64x64xf32>
      %weights = arith.truncf %p : tensor<64x64xf32> to tensor<64x64xbf16>
      %a1 = tile.dot %weights, %kt, %a0 : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>
      scf.yield %a1 : tensor<64x128xf32>
    }
    %out = arith.truncf %acc : tensor<64x128xf32> to tensor<64x128xbf16>
    tile.store %out, %o[%h, %c0, %c0] : tensor<64x128xbf16>, memref<?x64x128xbf16>
  }
}
