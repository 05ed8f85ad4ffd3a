// RUN: tilec-opt %s --split-input-file --verify-diagnostics

// Every task of a row writes the same tile.
tile.program @missing_index(%c: memref<64x64xf32>) {
  %zero = arith.constant 0 : index
  // expected-note @below {{the index is declared here; use 'tile.atomic' to combine tiles}}
  tile.forall (%m, %n) over %c tiles [16, 16] : memref<64x64xf32> {
    %t = tile.splat 0.0 [16, 16] : tensor<16x16xf32>
    // expected-error @below {{'tile.store' op writes one tile in several tasks: its place does not depend on index 1 of the statement}}
    tile.store %t, %c[%m, %zero] : tensor<16x16xf32>, memref<64x64xf32>
  }
}

// -----

// Every rank writes its tile (r, m) over that of every other rank.
tile.program @missing_rank<%M>(%a: memref<?x?xf32, #tile.symmetric>) extents [%a: W, %M] {
  %zero = arith.constant 0 : index
  // expected-note @below {{every rank runs the tasks of this statement}}
  tile.forall (%r, %m) in [W, %M ceildiv 16] {
    %t = tile.splat 0.0 [16] : tensor<16xf32>
    // expected-error @below {{'tile.store' op writes one tile from several ranks: its place does not depend on this rank}}
    tile.store %t, %a[%zero, %m] to %r : tensor<16xf32>, memref<?x?xf32, #tile.symmetric>
  }
}

// -----

// Task m reads what task m + 1 writes.
tile.program @neighbour<%M>(%a: memref<?xf32>) extents [%a: %M] {
  %one = arith.constant 1 : index
  tile.forall (%m) over %a tiles [16] : memref<?xf32> {
    %next = arith.addi %m, %one : index
    // expected-error @below {{'tile.load' op reads a tile that another task of the statement writes}}
    %t = tile.load %a[%next] tile [16] : memref<?xf32> -> tensor<16xf32>
    // expected-note @below {{it is written here; tasks of one statement run in no order}}
    tile.store %t, %a[%m] : tensor<16xf32>, memref<?xf32>
  }
}

// -----

// This rank reads rank r's tile while rank r writes it.
tile.program @in_place_on_a_peer<%M>(%a: memref<?xf32, #tile.symmetric>) extents [%a: %M] {
  %one = arith.constant 1 : index
  %world = tile.world_size
  %rank = tile.rank
  %after = arith.addi %rank, %one : index
  %peer = arith.remui %after, %world : index
  tile.forall (%m) over %a tiles [16] : memref<?xf32, #tile.symmetric> {
    // expected-error @below {{'tile.load' op reads a tile that the statement writes on that rank}}
    %t = tile.load %a[%m] tile [16] from %peer : memref<?xf32, #tile.symmetric> -> tensor<16xf32>
    // expected-note @below {{it is written here; tasks of one statement run in no order}}
    tile.store %t, %a[%m] : tensor<16xf32>, memref<?xf32, #tile.symmetric>
  }
}
