// Two copies of the keys hold something throughout the loop, also while the probabilities are in LDS: with both the tiles of a flash attention
// need 65,536 bytes, which is all that the target has. The plan of the copies took them for dead in between, and the program was refused.
// Where LDS has less, the loop keeps one copy.
// RUN: tilec %s --world 1 --until=pipeline | FileCheck %s --check-prefix=TWO
// RUN: tilec %s --world 1 -o %t && FileCheck %s --check-prefix=BYTES --input-file=%t/two_copies.json
// RUN: mkdir -p %t.targets && sed 's/"bytes": 65536, "banks"/"bytes": 65520, "banks"/' %source/codegen/targets/gfx942.json > %t.targets/gfx942.json
// RUN: env TILEC_TARGETS=%t.targets tilec %s --world 1 --until=pipeline | FileCheck %s --check-prefix=ONE --implicit-check-not='memref<2x64x128'
// RUN: tilec %s --world 1 --target gfx950 --until=pipeline | FileCheck %s --check-prefix=TWO

// TWO: tile.shared_buffer : memref<2x64x128xbf16
// BYTES: "lds_bytes": 65536,
// ONE: tile.shared_buffer : memref<{{(1x)?}}64x128xbf16
tile.program @two_copies<%G, %T>(%q: memref<?x?x128xbf16>, %k: memref<?x?x128xbf16>, %v: memref<?x?x128xbf16>, %o: memref<?x?x128xbf16>)
    extents [%q: 4 * %G, %T, 128] [%k: %G, %T, 128] [%v: %G, %T, 128] [%o: 4 * %G, %T, 128] {
  tile.param @BM in [128]
  tile.param @BN in [64]
  %bm = tile.extent [@BM]
  %bn = tile.extent [@BN]
  tile.forall (%h, %m) in [4 * %G, %T ceildiv @BM] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %g = arith.divsi %h, %c4 : index
    %qt = tile.load %q[%h, %m, %c0] tile [@BM, 128] : memref<?x?x128xbf16> -> tensor<?x128xbf16>
    %m0 = tile.splat -1.0e30 [@BM] : tensor<?xf32>
    %l0 = tile.splat 0.0 [@BM] : tensor<?xf32>
    %o0 = tile.splat 0.0 [@BM, 128] : tensor<?x128xf32>
    %zero = tile.splat 0.0 [@BM, @BN] : tensor<?x?xf32>
    %scale = tile.splat 0.08838834764 [@BM, @BN] : tensor<?x?xf32>
    %low = tile.splat -1.0e30 [@BM, @BN] : tensor<?x?xf32>
    %row0 = arith.muli %m, %bm : index
    %row0_int = arith.index_cast %row0 : index to i32
    %row_base = tile.splat %row0_int [@BM, @BN] : tensor<?x?xi32>
    %row_in = tile.iota dim 0 tile [@BM, @BN] : tensor<?x?xi32>
    %rows = arith.addi %row_in, %row_base : tensor<?x?xi32>
    %col_in = tile.iota dim 1 tile [@BM, @BN] : tensor<?x?xi32>
    // keys up to the last row of the tile, but none beyond T
    %row_end = arith.addi %row0, %bm : index
    %seen = arith.minsi %row_end, %T : index
    %steps = arith.ceildivsi %seen, %bn : index
    %max, %sum, %acc = scf.for %n = %c0 to %steps step %c1 iter_args(%mi = %m0, %li = %l0, %oi = %o0) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x128xf32>) {
      %kt = tile.load %k[%g, %n, %c0] tile [@BN, 128] : memref<?x?x128xbf16> -> tensor<?x128xbf16>
      %vt = tile.load %v[%g, %n, %c0] tile [@BN, 128] : memref<?x?x128xbf16> -> tensor<?x128xbf16>
      %s = tile.dot %qt, transpose %kt, %zero : tensor<?x128xbf16>, tensor<?x128xbf16>, tensor<?x?xf32>
      %scaled = arith.mulf %s, %scale : tensor<?x?xf32>
      %col0 = arith.muli %n, %bn : index
      %col0_int = arith.index_cast %col0 : index to i32
      %col_base = tile.splat %col0_int [@BM, @BN] : tensor<?x?xi32>
      %cols = arith.addi %col_in, %col_base : tensor<?x?xi32>
      %causal = arith.cmpi sle, %cols, %rows : tensor<?x?xi32>
      %masked = arith.select %causal, %scaled, %low : tensor<?x?xi1>, tensor<?x?xf32>
      %here = tile.reduce maximum %masked dim 1 : tensor<?x?xf32> -> tensor<?xf32>
      %mn = arith.maximumf %mi, %here : tensor<?xf32>
      %mb = tile.broadcast %mn dims [0] tile [@BM, @BN] : tensor<?xf32> -> tensor<?x?xf32>
      %d = arith.subf %masked, %mb : tensor<?x?xf32>
      %p = math.exp %d : tensor<?x?xf32>
      %part = tile.reduce add %p dim 1 : tensor<?x?xf32> -> tensor<?xf32>
      %dm = arith.subf %mi, %mn : tensor<?xf32>
      %shrink = math.exp %dm : tensor<?xf32>
      %ls = arith.mulf %li, %shrink : tensor<?xf32>
      %ln = arith.addf %ls, %part : tensor<?xf32>
      %shrink_b = tile.broadcast %shrink dims [0] tile [@BM, 128] : tensor<?xf32> -> tensor<?x128xf32>
      %os = arith.mulf %oi, %shrink_b : tensor<?x128xf32>
      %pb = arith.truncf %p : tensor<?x?xf32> to tensor<?x?xbf16>
      %on = tile.dot %pb, %vt, %os : tensor<?x?xbf16>, tensor<?x128xbf16>, tensor<?x128xf32>
      scf.yield %mn, %ln, %on : tensor<?xf32>, tensor<?xf32>, tensor<?x128xf32>
    }
    %sum_b = tile.broadcast %sum dims [0] tile [@BM, 128] : tensor<?xf32> -> tensor<?x128xf32>
    %r = arith.divf %acc, %sum_b : tensor<?x128xf32>
    %out = arith.truncf %r : tensor<?x128xf32> to tensor<?x128xbf16>
    tile.store %out, %o[%h, %m, %c0] : tensor<?x128xbf16>, memref<?x?x128xbf16>
  }
}
