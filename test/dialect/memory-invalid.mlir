// RUN: tilec-opt %s --split-input-file --verify-diagnostics

tile.program @lds() {
  tile.kernel @k {
    tile.role @r {
      %zero = arith.constant 0 : index
      %x = tile.shared_buffer : memref<4xf32, #tile.shared<1, 1, 1>>
      // expected-error @below {{'tile.load' op expected a buffer in memory, got one in LDS}}
      %t = tile.load %x[%zero] tile [4] : memref<4xf32, #tile.shared<1, 1, 1>> -> tensor<4xf32>
    }
  }
}

// -----

// expected-note @below {{the buffer is declared here; convert the tile behind the load, with 'arith.truncf' to bf16}}
tile.program @element_type(%a: memref<4xf32>) {
  tile.forall (%m) in [1] {
    // expected-error @below {{'tile.load' op expected a tile of 'f32', the element type of the buffer, got 'bf16'}}
    %t = tile.load %a[%m] tile [4] : memref<4xf32> -> tensor<4xbf16>
  }
}

// -----

tile.program @rank_of_the_tile(%a: memref<4xf32>) {
  tile.forall (%m) in [1] {
    // expected-error @below {{'tile.load' op tile of rank 2, expected at most 1 as in 'memref<4xf32>'}}
    %t = tile.load %a[%m] tile [4, 4] : memref<4xf32> -> tensor<4x4xf32>
  }
}

// -----

tile.program @indices(%a: memref<4x4xf32>) {
  tile.forall (%m) in [1] {
    // expected-error @below {{'tile.load' op has 1 indices, expected 2 as in 'memref<4x4xf32>'}}
    %t = tile.load %a[%m] tile [4] : memref<4x4xf32> -> tensor<4xf32>
  }
}

// -----

tile.program @symmetric(%a: memref<4xf32>) {
  tile.forall (%r) in [W] {
    // expected-error @below {{'tile.load' op addresses another rank's copy of 'memref<4xf32>', expected memory space #tile.symmetric}}
    %t = tile.load %a[%r] tile [4] from %r : memref<4xf32> -> tensor<4xf32>
  }
}

// -----

tile.program @store_to_a_local_buffer(%a: memref<4xf32>) {
  tile.forall (%r) in [W] {
    %t = tile.splat 0.0 [4] : tensor<4xf32>
    // expected-error @below {{'tile.store' op addresses another rank's copy of 'memref<4xf32>', expected memory space #tile.symmetric}}
    tile.store %t, %a[%r] to %r : tensor<4xf32>, memref<4xf32>
  }
}

// -----

tile.program @value_outside(%a: memref<4xf32>) {
  %x = arith.constant 1 : i32
  tile.forall (%m) in [1] {
    // expected-error @below {{'tile.load' op value outside the view has type 'i32', expected 'f32'}}
    %t = tile.load %a at (%m) tile [4] else %x : i32 : memref<4xf32> -> tensor<4xf32>
  }
}

// -----

tile.program @atomic_type(%a: memref<4xf64>) {
  tile.forall (%m) in [4] {
    %t = tile.splat 0.0 [4] : tensor<4xf64>
    // expected-error @below {{'tile.atomic' op combines elements of type 'f64', expected f32, bf16, f16, i32 or i64}}
    tile.atomic add %t, %a[%m] : tensor<4xf64>, memref<4xf64>
  }
}

// -----

tile.program @atomic_kind(%a: memref<4xi32>) {
  tile.forall (%m) in [4] {
    %t = tile.splat 0 [4] : tensor<4xi32>
    // expected-error @below {{'tile.atomic' op combines by 'product', expected 'add', 'maximum' or 'minimum'}}
    tile.atomic product %t, %a[%m] : tensor<4xi32>, memref<4xi32>
  }
}

// -----

tile.program @store_without_its_operands() {
  tile.forall (%m) in [1] {
    // expected-error @below {{'tile.store' op expected 2 or more operands, but found 0}}
    "tile.store"() <{operandSegmentSizes = array<i32: 0, 0, 0, 0, 0>}> : () -> ()
  }
}

// -----

tile.program @view_without_a_dimension(%a: memref<4xf32>) {
  %element = memref.subview %a[0] [1] [1] : memref<4xf32> to memref<f32, strided<[]>>
  tile.forall (%m) in [1] {
    // expected-error @below {{'tile.load' op view 'memref<f32, strided<[]>>' has no dimension, expected at least one}}
    %t = tile.load %element[] tile [] : memref<f32, strided<[]>> -> tensor<f32>
  }
}

// -----

tile.program @k<%M>(%a: memref<?x16xf32>) world 2 extents [%a: %M, 16] {
  %slots = tile.alloc persistent [2, 256] : memref<2x256xi32, #tile.symmetric>
  %sent = tile.signals [2] : <1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%m) in [2] {
        %zero = arith.constant 0 : index
        %t = tile.splat 0 [256] : tensor<256xi32>
        // expected-error @below {{moves elements of type 'i32', expected floats, which have a zero to spare}}
        tile.post %t, %slots[%m, %zero] to %m as %sent[%m] : tensor<256xi32>, memref<2x256xi32, #tile.symmetric>, <1>
      }
    }
  }
}

// -----

tile.program @k<%M>(%a: memref<?x16xf32>) world 2 extents [%a: %M, 16] {
  %slots = tile.alloc persistent [2, 256] : memref<2x256xf32, #tile.symmetric>
  %sent = tile.signals [2] : <1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%m) in [2] {
        %zero = arith.constant 0 : index
        // expected-error @below {{names a signal by 1 indices, expected 0 and the rank that posts, as in '!tile.signals<1>'}}
        %t = tile.receive %slots[%m, %zero] as %sent[%m] : memref<2x256xf32, #tile.symmetric>, <1> -> tensor<256xf32>
      }
    }
  }
}

// -----

tile.program @posted_by_name() world 2 {
  %slots = tile.alloc persistent [2, 256] : memref<2x256xf32, #tile.symmetric>
  %sent = tile.signals [2] : <1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%m) in [2] {
        %zero = arith.constant 0 : index
        %own = tile.splat 0.0 [128] : tensor<128xf32>
        %whole = tile.splat 0.0 [256] : tensor<256xf32>
        // expected-error @below {{names a signal by 2 indices, expected 1 as in '!tile.signals<1>'}}
        tile.post %whole, %slots[%m, %zero] to %m as %sent[%m, %m] : tensor<256xf32>, memref<2x256xf32, #tile.symmetric>, <1>
      }
    }
  }
}

// -----

tile.program @takes_too_many() world 2 {
  %slots = tile.alloc persistent [2, 256] : memref<2x256xf32, #tile.symmetric>
  %sent = tile.signals [2] : <1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%m) in [2] {
        %zero = arith.constant 0 : index
        %own = tile.splat 0.0 [128] : tensor<128xf32>
        %whole = tile.splat 0.0 [256] : tensor<256xf32>
        // expected-error @below {{gives 2 tiles, expected 1 of 2 ranks}}
        %t:2 = tile.receive_all %slots[%zero, %zero] as %sent[] : memref<2x256xf32, #tile.symmetric>, <1> -> tensor<256xf32>, tensor<256xf32>
      }
    }
  }
}

// -----

tile.program @takes_other_tiles() world 2 {
  %slots = tile.alloc persistent [2, 256] : memref<2x256xf32, #tile.symmetric>
  %sent = tile.signals [2] : <1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%m) in [2] {
        %zero = arith.constant 0 : index
        %own = tile.splat 0.0 [128] : tensor<128xf32>
        %whole = tile.splat 0.0 [256] : tensor<256xf32>
        // expected-error @below {{gives tiles of several types, expected one}}
        %t:2 = tile.receive_all %slots[%zero, %zero] beside %own : tensor<128xf32> as %sent[] : memref<2x256xf32, #tile.symmetric>, <1> -> tensor<256xf32>, tensor<256xf32>
      }
    }
  }
}

// -----

tile.program @takes_from_one() world 2 {
  %slots = tile.alloc persistent [2, 256] : memref<2x256xf32, #tile.symmetric>
  %sent = tile.signals [2] : <1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%m) in [2] {
        %zero = arith.constant 0 : index
        %own = tile.splat 0.0 [128] : tensor<128xf32>
        %whole = tile.splat 0.0 [256] : tensor<256xf32>
        // expected-error @below {{names a rank, expected index 0: it receives from all}}
        %t = tile.receive_all %slots[%m, %zero] as %sent[] : memref<2x256xf32, #tile.symmetric>, <1> -> tensor<256xf32>
      }
    }
  }
}

// -----

tile.program @takes_nothing() world 2 {
  %slots = tile.alloc persistent [2, 256] : memref<2x256xf32, #tile.symmetric>
  %sent = tile.signals [2] : <1>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%m) in [2] {
        %zero = arith.constant 0 : index
        %own = tile.splat 0.0 [128] : tensor<128xf32>
        %whole = tile.splat 0.0 [256] : tensor<256xf32>
        // expected-error @below {{gives no tile, expected one for each other rank}}
        "tile.receive_all"(%slots, %zero, %zero, %sent) {operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>} : (memref<2x256xf32, #tile.symmetric>, index, index, !tile.signals<1>) -> ()
      }
    }
  }
}
