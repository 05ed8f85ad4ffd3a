// RUN: tilec run %s --world 1 --extent M=40
// RUN: for t in gfx942 sm_90a; do tilec run %s --world 3 --extent M=22 --target $t --pattern sequential-push --memory weak --race --seed 5 || exit 1; done
// RUN: sed 's/bf16/f16/g' %s > %t.f16.mlir && tilec run %t.f16.mlir --world 2 --extent M=22 --memory weak --shuffle
// As machines swap that have no halves: what a neighbour adds to its half meanwhile stays.
// RUN: env "TILEC_CXXFLAGS=-O0 -DTILEC_EMULATED_SWAPPED_BYTES=4" tilec run %s --world 2 --extent M=22 --memory weak --shuffle
// RUN: env "TILEC_CXXFLAGS=-O0 -DTILEC_EMULATED_SWAPPED_BYTES=4" tilec run %t.f16.mlir --world 2 --extent M=22 --shuffle
// RUN: tilec %s --world 2 --target sm_90a --emit=hip | FileCheck %s
// CHECK: tilec::atomic_add<tilec::system>

// Sums and extrema of elements of 16 bits, of what many workgroups bring here and on peers. Neighbours in a word are other workgroups'.
tile.program @halves<%M>(%a: memref<?x63xbf16>, %s: memref<63xbf16>, %t: memref<63xbf16>, %u: memref<63xbf16>) extents [%a: %M, 63] [%s: 63] [%t: 63] [%u: 63] {
  %x = tile.alloc [63] : memref<63xbf16, #tile.symmetric>
  %y = tile.alloc [63] : memref<63xbf16, #tile.symmetric>
  %z = tile.alloc [63] : memref<63xbf16>
  tile.forall (%i) in [1] {
    %c0 = arith.constant 0 : index
    %zero = tile.splat 0.0 [64] : tensor<64xbf16>
    tile.store %zero, %x[%c0] : tensor<64xbf16>, memref<63xbf16, #tile.symmetric>
    tile.store %zero, %y[%c0] : tensor<64xbf16>, memref<63xbf16, #tile.symmetric>
    tile.store %zero, %z[%c0] : tensor<64xbf16>, memref<63xbf16>
  }
  tile.forall (%p, %m, %n) in [W, %M ceildiv 4, 63 ceildiv 16] {
    %v = tile.load %a[%m, %n] tile [4, 16] : memref<?x63xbf16> -> tensor<4x16xbf16>
    %sum = tile.reduce add %v dim 0 : tensor<4x16xbf16> -> tensor<16xbf16>
    tile.atomic add %sum, %x[%n] on %p : tensor<16xbf16>, memref<63xbf16, #tile.symmetric>
    %most = tile.reduce maximum %v dim 0 : tensor<4x16xbf16> -> tensor<16xbf16>
    tile.atomic maximum %most, %y[%n] on %p : tensor<16xbf16>, memref<63xbf16, #tile.symmetric>
  }
  tile.forall (%m, %n) in [%M ceildiv 4, 63] {
    %v = tile.load %a[%m, %n] tile [4, 1] : memref<?x63xbf16> -> tensor<4x1xbf16>
    %sum = tile.reduce add %v dim 0 : tensor<4x1xbf16> -> tensor<1xbf16>
    tile.atomic add %sum, %z[%n] : tensor<1xbf16>, memref<63xbf16>
  }
  tile.forall (%i) in [1] {
    %c0 = arith.constant 0 : index
    %v = tile.load %x[%c0] tile [64] : memref<63xbf16, #tile.symmetric> -> tensor<64xbf16>
    tile.store %v, %s[%c0] : tensor<64xbf16>, memref<63xbf16>
    %w = tile.load %y[%c0] tile [64] : memref<63xbf16, #tile.symmetric> -> tensor<64xbf16>
    tile.store %w, %t[%c0] : tensor<64xbf16>, memref<63xbf16>
    %q = tile.load %z[%c0] tile [64] : memref<63xbf16> -> tensor<64xbf16>
    tile.store %q, %u[%c0] : tensor<64xbf16>, memref<63xbf16>
  }
}
