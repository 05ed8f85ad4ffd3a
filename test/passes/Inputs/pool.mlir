// Groups before and behind the workgroups that the roles without some of their own share.
tile.program @pool(%a: memref<256xf32>, %b: memref<256xf32>) world 1 extents [%a: 256] [%b: 256] {
  tile.kernel @k {
    tile.role @own on 3 workgroups {
      tile.forall (%i) in [1] {
        %t = tile.load %a[%i] tile [64] : memref<256xf32> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<256xf32>
      }
    }
    tile.role @common {
      tile.forall (%i) in [1] {
        %one = arith.constant 1 : index
        %j = arith.addi %i, %one : index
        %t = tile.load %a[%j] tile [64] : memref<256xf32> -> tensor<64xf32>
        tile.store %t, %b[%j] : tensor<64xf32>, memref<256xf32>
      }
    }
    tile.role @later on 2 workgroups {
      tile.forall (%i) in [1] {
        %two = arith.constant 2 : index
        %j = arith.addi %i, %two : index
        %t = tile.load %a[%j] tile [64] : memref<256xf32> -> tensor<64xf32>
        tile.store %t, %b[%j] : tensor<64xf32>, memref<256xf32>
      }
    }
    tile.role @latest on 1 workgroups {
      tile.forall (%i) in [1] {
        %three = arith.constant 3 : index
        %j = arith.addi %i, %three : index
        %t = tile.load %a[%j] tile [64] : memref<256xf32> -> tensor<64xf32>
        tile.store %t, %b[%j] : tensor<64xf32>, memref<256xf32>
      }
    }
  }
}
