// RUN: tilec verify %s --world 1 --target sm_90a
// RUN: tilec %s --world 1 --target sm_90a --emit=hip | FileCheck %s
// RUN: for t in $(%some sm_90a gfx942 gfx950); do tilec run %s --world 1 --target $t --extents-from 1,64,200 --launches 2 || exit 1; done
// Which matrix a tile is multiplied with is read from memory. The number stood in the way of waves that only fill slots, and the compiler crashed:
// "places of copies are made of extents and indices". Both kinds of wave read it.
// CHECK: const int expert = tilec::number(
// CHECK: if constexpr (role.produces)
tile.program @grouped<%M, %N, %K, %E>(%experts: memref<?xi32>, %a: memref<?x?xbf16>, %w: memref<?x?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%experts: %M ceildiv 128] [%a: %M, %K] [%w: %E, %N, %K] [%c: %M, %N] indices [%experts: %E] {
  tile.forall (%m, %n) in [%M ceildiv 128, %N ceildiv 128] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %last = tile.extent [%E - 1]
    %expert = tile.read %experts[%m] upto %last : memref<?xi32>
    %steps = tile.extent [%K ceildiv 64]
    %zero = tile.splat 0.0 [128, 128] : tensor<128x128xf32>
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%s = %zero) -> tensor<128x128xf32> {
      %x = tile.load %a[%m, %k] tile [128, 64] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %w[%expert, %n, %k] tile [128, 64] : memref<?x?x?xbf16> -> tensor<128x64xbf16>
      %next = tile.dot %x, transpose %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %out, %c[%m, %n] : tensor<128x128xbf16>, memref<?x?xbf16>
  }
}
