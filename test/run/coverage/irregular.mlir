// RUN: split-file %s %t
// RUN: for t in $(%some gfx942 gfx950 sm_90a); do for p in along_columns elements otherwise_one scattered_columns leading_dimension counted; do tilec run %t/$p.mlir --world 1 --target $t --extents-from 1,40 --launches 3 --race || exit 1; done; done
// RUN: for p in bulk sequential specialized; do tilec run %t/gathered_from_peers.mlir --world 3 --pattern $p --extents-from 7,40 --launches 3 --memory weak --race || exit 1; done
// Indices far beyond any buffer, of both signs.
// RUN: tilec run %t/extreme.mlir --world 1 --extents-from 1,40

// Where every element has an index, every element is an access.
//--- along_columns.mlir
tile.program @along_columns<%M, %N, %C>(%ids: memref<?xi32>, %a: memref<?x?xbf16>, %b: memref<?x?xbf16>)
    extents [%ids: %C] [%a: %M, %N] [%b: %M, %C] indices [%ids: %N] {
  tile.forall (%m, %c) in [%M ceildiv 16, %C ceildiv 32] {
    %list = tile.load %ids[%c] tile [32] : memref<?xi32> -> tensor<32xi32>
    %t = tile.gather %a[%m, each %list] tile [16, 32] : memref<?x?xbf16>, tensor<32xi32> -> tensor<16x32xbf16>
    tile.store %t, %b[%m, %c] : tensor<16x32xbf16>, memref<?x?xbf16>
  }
}

// A list of a list: the second indices are gathered themselves.
//--- elements.mlir
tile.program @elements<%V, %N>(%first: memref<?xi32>, %second: memref<?xi32>, %a: memref<?xf32>, %b: memref<?xf32>)
    extents [%first: %N] [%second: %V] [%a: %V] [%b: %N] indices [%first: %V] [%second: %V] {
  tile.forall (%n) in [%N ceildiv 64] {
    %list = tile.load %first[%n] tile [64] : memref<?xi32> -> tensor<64xi32>
    %next = tile.gather %second[each %list] tile [64] : memref<?xi32>, tensor<64xi32> -> tensor<64xi32>
    %t = tile.gather %a[each %next] tile [64] : memref<?xf32>, tensor<64xi32> -> tensor<64xf32>
    tile.store %t, %b[%n] : tensor<64xf32>, memref<?xf32>
  }
}

// Another value than zero outside, and offsets of elements in the other dimension, some of them outside too.
//--- otherwise_one.mlir
tile.program @otherwise_one<%V, %N, %D>(%ids: memref<?xi32>, %a: memref<?x?xf16>, %b: memref<?x?xf16>)
    extents [%ids: %N] [%a: %V, %D] [%b: %N, %D] indices [%ids: %V] {
  tile.forall (%n, %d) in [%N ceildiv 16, %D ceildiv 32] {
    %one = arith.constant 1.0 : f16
    %c32 = arith.constant 32 : index
    %c3 = arith.constant 3 : index
    %start = arith.muli %d, %c32 : index
    %column = arith.subi %start, %c3 : index
    %row = arith.constant 0 : index
    %list = tile.load %ids[%n] tile [16] : memref<?xi32> -> tensor<16xi32>
    %t = tile.gather %a at (each %list, %column) tile [16, 32] else %one : f16 : memref<?x?xf16>, tensor<16xi32> -> tensor<16x32xf16>
    tile.store %t, %b[%n, %d] : tensor<16x32xf16>, memref<?x?xf16>
  }
}

// Columns that are not written keep what they had.
//--- scattered_columns.mlir
tile.program @scattered_columns<%M, %N, %C>(%slots: memref<?xi32>, %a: memref<?x?xf32>, %b: memref<?x?xf32>)
    extents [%slots: %C] [%a: %M, %C] [%b: %M, %N] indices [%slots: %N distinct] {
  tile.forall (%m, %c) in [%M ceildiv 16, %C ceildiv 32] {
    %nowhere = arith.constant -5 : i32
    %list = tile.load %slots[%c] tile [32] else %nowhere : i32 : memref<?xi32> -> tensor<32xi32>
    %t = tile.load %a[%m, %c] tile [16, 32] : memref<?x?xf32> -> tensor<16x32xf32>
    tile.scatter %t, %b[%m, each %list] : tensor<16x32xf32>, memref<?x?xf32>, tensor<32xi32>
  }
}

// A tile with fewer dimensions than the buffer.
//--- leading_dimension.mlir
tile.program @leading_dimension<%B, %V, %N>(%ids: memref<?x?xi32>, %a: memref<?x?x64xf32>, %b: memref<?x?x64xf32>)
    extents [%ids: %B, %N] [%a: %B, %V, 64] [%b: %B, %N, 64] indices [%ids: %V] {
  tile.forall (%s, %n) in [%B, %N ceildiv 16] {
    %c0 = arith.constant 0 : index
    %list = tile.load %ids[%s, %n] tile [16] : memref<?x?xi32> -> tensor<16xi32>
    %t = tile.gather %a[%s, each %list, %c0] tile [16, 64] : memref<?x?x64xf32>, tensor<16xi32> -> tensor<16x64xf32>
    tile.store %t, %b[%s, %n, %c0] : tensor<16x64xf32>, memref<?x?x64xf32>
  }
}

// A number as a bound, as a condition and as an index.
//--- counted.mlir
tile.program @counted<%B, %N>(%lengths: memref<?xi32>, %a: memref<?x?xf32>, %b: memref<?x?xf32>)
    extents [%lengths: %B] [%a: %B, %N] [%b: %B, 64] indices [%lengths: %N + 1] {
  tile.forall (%s) in [%B] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = tile.splat 0.0 [64] : tensor<64xf32>
    %length = tile.read %lengths[%s] upto %N : memref<?xi32>
    %sum = scf.for %i = %c0 to %length step %c1 iter_args(%before = %none) -> tensor<64xf32> {
      %t = tile.load %a at (%s, %i) tile [64] : memref<?x?xf32> -> tensor<64xf32>
      %next = arith.addf %before, %t : tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    }
    %last = tile.load %a at (%s, %length) tile [64] : memref<?x?xf32> -> tensor<64xf32>
    %short = arith.cmpi ult, %length, %c1 : index
    %out = scf.if %short -> tensor<64xf32> {
      scf.yield %last : tensor<64xf32>
    } else {
      %both = arith.addf %sum, %last : tensor<64xf32>
      scf.yield %both : tensor<64xf32>
    }
    tile.store %out, %b[%s, %c0] : tensor<64xf32>, memref<?x?xf32>
  }
}

// What a peer has computed in the same launch, some rows of it: the gather waits for all of it.
//--- gathered_from_peers.mlir
tile.program @gathered_from_peers<%M, %N>(%ids: memref<?xi32>, %a: memref<?x64xf32>, %b: memref<?x64xf32>)
    extents [%ids: %N] [%a: %M, 64] [%b: %N, 64] indices [%ids: W * %M] {
  %part = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  %all = tile.alloc [W * %M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %part tiles [32, 32] : memref<?x64xf32, #tile.symmetric> {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %twice = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %twice, %part[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.all_gather %part into %all dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.forall (%n, %d) in [%N ceildiv 16, 2] {
    %list = tile.load %ids[%n] tile [16] : memref<?xi32> -> tensor<16xi32>
    %t = tile.gather %all[each %list, %d] tile [16, 32] : memref<?x64xf32, #tile.symmetric>, tensor<16xi32> -> tensor<16x32xf32>
    tile.store %t, %b[%n, %d] : tensor<16x32xf32>, memref<?x64xf32>
  }
}

//--- extreme.mlir
tile.program @extreme<%M>(%a: memref<?x64xf32>, %b: memref<64x64xf32>) extents [%a: %M, 64] {
  tile.forall (%m) in [2] {
    %c0 = arith.constant 0 : index
    %number = arith.index_cast %m : index to i32
    %least = arith.constant -2147483648 : i32
    %base = arith.subi %least, %number : i32
    %start = tile.splat %base [32] : tensor<32xi32>
    %count = tile.iota dim 0 tile [32] : tensor<32xi32>
    %list = arith.addi %start, %count : tensor<32xi32>
    %t = tile.gather %a[each %list, %c0] tile [32, 64] : memref<?x64xf32>, tensor<32xi32> -> tensor<32x64xf32>
    tile.store %t, %b[%m, %c0] : tensor<32x64xf32>, memref<64x64xf32>
  }
}
