// RUN: tilec %s --world 1 --target gfx942 --until=order | FileCheck %s --check-prefix=AUTO
// RUN: tilec %s --world 1 --target gfx942 --order head-first --until=order | FileCheck %s --check-prefix=ASKED
// RUN: tilec %s --world 1 --target sm_90a --order head-first --until=order | FileCheck %s --check-prefix=ONE
// RUN: tilec %s --world 1 --target gfx942 --order head-first --emit=hip | FileCheck %s --check-prefix=TEXT
// RUN: sed '/^tile.program @causal/,$d' %s > %t.blocks.mlir && tilec run %t.blocks.mlir --world 1 --order head-first --extents-from 1,3,12,70 --launches 3 --race --memory weak --shuffle
// Where tasks along some dimensions read the same in their loops (the rows of a head its keys), they come one after the other, and those of a head to one chiplet.

// The grid is written block by block: its heads come first.
// AUTO: tile.kernel @blocks attributes {dealing = #tile<dealing strided>}
// AUTO: tile.forall (%m, %h) in {{.*}} order [#tile.remap<8>, #tile.permuted<1, 0>]
// ASKED: tile.forall (%m, %h) in {{.*}} order [#tile.remap<8>, #tile.permuted<1, 0>]
// ONE: tile.forall (%m, %h) in {{.*}} order [#tile.permuted<1, 0>]
// TEXT-LABEL: blocks_kernel
// TEXT: tilec::remap_xcd(task, {{.*}}, 8)
// TEXT: const auto tile = tilec::delinearize<2>({{.*}}, {H, m_tiles});
// TEXT: const int m = tile[1];
// TEXT: const int h = tile[0];
tile.program @blocks<%H, %T>(%q: memref<?x?x64xbf16>, %k: memref<?x?x64xbf16>, %o: memref<?x?x64xf32>)
    extents [%q: %H, %T, 64] [%k: %H, %T, 64] [%o: %H, %T, 64] {
  %blocks = tile.extent [%T ceildiv 64]
  tile.forall (%m, %h) in [%T ceildiv 32, %H] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %qt = tile.load %q[%h, %m, %c0] tile [32, 64] : memref<?x?x64xbf16> -> tensor<32x64xbf16>
    %none = tile.splat 0.0 [32, 64] : tensor<32x64xf32>
    %sum = scf.for %n = %c0 to %blocks step %c1 iter_args(%s = %none) -> tensor<32x64xf32> {
      %kt = tile.load %k[%h, %n, %c0] tile [64, 64] : memref<?x?x64xbf16> -> tensor<64x64xbf16>
      %next = tile.dot %qt, transpose %kt, %s : tensor<32x64xbf16>, tensor<64x64xbf16>, tensor<32x64xf32>
      scf.yield %next : tensor<32x64xf32>
    }
    tile.store %sum, %o[%h, %m, %c0] : tensor<32x64xf32>, memref<?x?x64xf32>
  }
}

// Under a causal mask blocks take different times, which tickets balance: heads stay with a chiplet where that is asked for. Heads of queries that share keys
// go on side by side.
// AUTO: tile.kernel @causal {
// AUTO: tile.forall (%h, %m) in {{.*}} order [#tile.grouped<4>]
// ASKED: tile.kernel @causal attributes {dealing = #tile<dealing strided>}
// ASKED: tile.forall (%h, %m) in {{.*}} order [#tile.remap<8>, #tile.grouped<4>]
// ONE: tile.forall (%h, %m) in {{.*}} order [#tile.grouped<4>]
tile.program @causal<%H, %T>(%q: memref<?x?x64xbf16>, %k: memref<?x?x64xbf16>, %o: memref<?x?x64xf32>)
    extents [%q: 4 * %H, %T, 64] [%k: %H, %T, 64] [%o: 4 * %H, %T, 64] {
  tile.forall (%h, %m) in [4 * %H, %T ceildiv 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %end = arith.addi %m, %c1 : index
    %kv = arith.divui %h, %c4 : index
    %qt = tile.load %q[%h, %m, %c0] tile [64, 64] : memref<?x?x64xbf16> -> tensor<64x64xbf16>
    %none = tile.splat 0.0 [64, 64] : tensor<64x64xf32>
    %sum = scf.for %n = %c0 to %end step %c1 iter_args(%s = %none) -> tensor<64x64xf32> {
      %kt = tile.load %k[%kv, %n, %c0] tile [64, 64] : memref<?x?x64xbf16> -> tensor<64x64xbf16>
      %next = tile.dot %qt, transpose %kt, %s : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %sum, %o[%h, %m, %c0] : tensor<64x64xf32>, memref<?x?x64xf32>
  }
}

// Every index of a product is one of what its loop reads: it has windows, as before.
// AUTO: tile.forall (%m, %n) in {{.*}} order [#tile.grouped<4>]
// ASKED: tile.forall (%m, %n) in {{.*}} order []
tile.program @product<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>) extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.matmul %a, transpose %b into %c : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
}
