// RUN: tilec run %s --world 2 --race --launches 2

// Tiles small enough for workgroups of one wave, whose signals meet the wave alone: the race check took what the other
// lanes had stored for unpublished.
tile.program @one_wave<%M>(%a: memref<40x?xi32>, %c: memref<?x?xi32>) extents [%a: 40, %M] [%c: W * 40, %M] {
  %full = tile.alloc [W * 40, %M] : memref<?x?xi32, #tile.symmetric>
  tile.all_gather %a into %full dim 0 tiles [8, 32] : memref<40x?xi32>, memref<?x?xi32, #tile.symmetric>
  tile.forall (%m, %n) over %c tiles [8, 32] : memref<?x?xi32> {
    %t = tile.load %full[%m, %n] tile [8, 32] : memref<?x?xi32, #tile.symmetric> -> tensor<8x32xi32>
    tile.store %t, %c[%m, %n] : tensor<8x32xi32>, memref<?x?xi32>
  }
}
