// RUN: tilec run %s --world 1 --shuffle --launches 2
// RUN: tilec run %s --world 2 --race --memory weak --launches 2

// Roles of one kernel without a wait of its own and without a pattern: the wait derived was for the end of the kernel itself.
tile.program @roles(%a: memref<256xf32>, %b: memref<256xf32>) {
  %half = tile.alloc [256] : memref<256xf32>
  tile.kernel @k {
    tile.role @write {
      tile.forall (%i) in [4] {
        %t = tile.load %a[%i] tile [64] : memref<256xf32> -> tensor<64xf32>
        tile.store %t, %half[%i] : tensor<64xf32>, memref<256xf32>
      }
    }
    tile.role @read {
      tile.forall (%i) in [4] {
        %t = tile.load %half[%i] tile [64] : memref<256xf32> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<256xf32>
      }
    }
  }
}
