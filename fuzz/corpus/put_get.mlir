// Every rank puts its tiles into the next rank's buffer, then gets the tiles of the rank after that.
tile.program @put_get<%M>(%a: memref<?x256xf32>, %b: memref<?x256xf32>) extents [%a: %M, 256] [%b: %M, 256] {
  %inbox = tile.alloc [%M, 256] : memref<?x256xf32, #tile.symmetric>
  %one = arith.constant 1 : index
  %rank = tile.rank
  %world = tile.world_size
  %after = arith.addi %rank, %one : index
  %next = arith.remui %after, %world : index

  // put: a of this rank becomes the inbox of the next
  tile.forall (%m, %n) over %a tiles [64, 64] : memref<?x256xf32> {
    %t = tile.load %a[%m, %n] tile [64, 64] : memref<?x256xf32> -> tensor<64x64xf32>
    tile.store %t, %inbox[%m, %n] to %next : tensor<64x64xf32>, memref<?x256xf32, #tile.symmetric>
  }
  // get: b is the inbox of the next rank, which is this rank's a
  tile.forall (%m, %n) over %b tiles [64, 64] : memref<?x256xf32> {
    %t = tile.load %inbox[%m, %n] tile [64, 64] from %next : memref<?x256xf32, #tile.symmetric> -> tensor<64x64xf32>
    tile.store %t, %b[%m, %n] : tensor<64x64xf32>, memref<?x256xf32>
  }
}
