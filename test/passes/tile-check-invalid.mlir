// RUN: tilec-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-check))'

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
tile.program @no_barrier<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @no_barrier attributes {waves = 4 : i64} {
    tile.role @tiles {
      %t = tile.splat 0.0 [512] : tensor<512xf32, #l>
      %s = tile.shared_buffer : memref<512xf32, #s>
      // expected-note @+1 {{the store is here}}
      tile.shared_store %t, %s : tensor<512xf32, #l>, memref<512xf32, #s>
      // expected-error @+1 {{'tile.shared_load' op reads LDS without a barrier after a store to it}}
      %r = tile.shared_load %s : memref<512xf32, #s> -> tensor<512xf32, #l>
    }
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
tile.program @tasks<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @tasks attributes {waves = 4 : i64} {
    tile.role @tiles {
      tile.forall (%m) in [%M] {
        %t = tile.splat 0.0 [512] : tensor<512xf32, #l>
        %s = tile.shared_buffer : memref<512xf32, #s>
        // expected-error @+1 {{'tile.shared_store' op overwrites LDS without a barrier after a load of it}}
        tile.shared_store %t, %s : tensor<512xf32, #l>, memref<512xf32, #s>
        tile.barrier
        // expected-note @+1 {{the load is here}}
        %r = tile.shared_load %s : memref<512xf32, #s> -> tensor<512xf32, #l>
      }
    }
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
tile.program @copies<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @copies attributes {waves = 4 : i64} {
    tile.role @tiles {
      %t = tile.splat 0.0 [512] : tensor<512xf32, #l>
      %s = tile.shared_buffer : memref<2x512xf32, #s>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      tile.shared_store %t, %s[%c0] : tensor<512xf32, #l>, memref<2x512xf32, #s>
      scf.for %k = %c0 to %M step %c1 iter_args(%copy = %c0) -> (index) {
        %next = arith.subi %c1, %copy : index
        tile.barrier
        // expected-note @+1 {{the load is here}}
        %r = tile.shared_load %s[%copy] : memref<2x512xf32, #s> -> tensor<512xf32, #l>
        // expected-error @+1 {{'tile.shared_store' op overwrites LDS without a barrier after a load of it}}
        tile.shared_store %t, %s[%copy] : tensor<512xf32, #l>, memref<2x512xf32, #s>
        scf.yield %next : index
      }
    }
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
tile.program @one_side<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @one_side attributes {waves = 4 : i64} {
    tile.role @tiles {
      %t = tile.splat 0.0 [512] : tensor<512xf32, #l>
      %s = tile.shared_buffer : memref<512xf32, #s>
      %c0 = arith.constant 0 : index
      %some = arith.cmpi slt, %c0, %M : index
      // expected-note @+1 {{the store is here}}
      tile.shared_store %t, %s : tensor<512xf32, #l>, memref<512xf32, #s>
      scf.if %some {
        tile.barrier
      }
      // expected-error @+1 {{'tile.shared_load' op reads LDS without a barrier after a store to it}}
      %r = tile.shared_load %s : memref<512xf32, #s> -> tensor<512xf32, #l>
    }
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
tile.program @two_stores<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @two_stores attributes {waves = 4 : i64} {
    tile.role @tiles {
      %t = tile.splat 0.0 [512] : tensor<512xf32, #l>
      %s = tile.shared_buffer : memref<512xf32, #s>
      // expected-note @+1 {{the other store is here}}
      tile.shared_store %t, %s : tensor<512xf32, #l>, memref<512xf32, #s>
      // expected-error @+1 {{'tile.shared_store' op overwrites LDS without a barrier after another store}}
      tile.shared_store %t, %s : tensor<512xf32, #l>, memref<512xf32, #s>
    }
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
tile.program @overlap<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @overlap attributes {shared_bytes = 3200 : i64, waves = 4 : i64} {
    tile.role @tiles {
      %t = tile.splat 0.0 [512] : tensor<512xf32, #l>
      %s = tile.shared_buffer at 128 : memref<512xf32, #s>
      %o = tile.shared_buffer at 1152 : memref<512xf32, #s>
      tile.shared_store %t, %s : tensor<512xf32, #l>, memref<512xf32, #s>
      tile.barrier
      // expected-note @+1 {{the store to the other buffer is here}}
      tile.shared_store %t, %o : tensor<512xf32, #l>, memref<512xf32, #s>
      tile.barrier
      // expected-error @+1 {{'tile.shared_load' op reads LDS that another buffer has overwritten}}
      %r = tile.shared_load %s : memref<512xf32, #s> -> tensor<512xf32, #l>
    }
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
tile.program @never_stored<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @never_stored attributes {waves = 4 : i64} {
    tile.role @tiles {
      %s = tile.shared_buffer : memref<512xf32, #s>
      // expected-error @+1 {{'tile.shared_load' op reads LDS that nothing has stored}}
      %r = tile.shared_load %s : memref<512xf32, #s> -> tensor<512xf32, #l>
    }
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
tile.program @outside<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @outside attributes {shared_bytes = 4096 : i64, waves = 4 : i64} {
    tile.role @tiles {
      // expected-error @+1 {{'tile.shared_buffer' op lies at bytes 0 to 2048, expected inside 64 to 4096}}
      %s = tile.shared_buffer at 0 : memref<512xf32, #s>
    }
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
tile.program @third_copy<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @third_copy attributes {waves = 4 : i64} {
    tile.role @tiles {
      %t = tile.splat 0.0 [512] : tensor<512xf32, #l>
      // expected-note @+1 {{the buffer is here}}
      %s = tile.shared_buffer : memref<2x512xf32, #s>
      %c2 = arith.constant 2 : index
      // expected-error @+1 {{'tile.shared_store' op names copy 2 of 2}}
      tile.shared_store %t, %s[%c2] : tensor<512xf32, #l>, memref<2x512xf32, #s>
    }
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
tile.program @no_buffer<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @no_buffer attributes {waves = 4 : i64} {
    tile.role @tiles {
      %whole = tile.shared_buffer : memref<512xf32, #s>
      %s = memref.subview %whole[0] [512] [1] : memref<512xf32, #s> to memref<512xf32, strided<[1]>, #s>
      // expected-error @+1 {{'tile.shared_load' op addresses LDS through a value that is no 'tile.shared_buffer'}}
      %r = tile.shared_load %s : memref<512xf32, strided<[1]>, #s> -> tensor<512xf32, #l>
    }
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
tile.program @lost_wait<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  %sent = tile.signals [1] : !tile.signals<1>
  tile.kernel @lost_wait attributes {waves = 4 : i64} {
    tile.role @tiles {
      %c0 = arith.constant 0 : index
      %w = tile.wait agent %sent[%c0] {tile.wait_number = 0 : i64} : !tile.signals<1>
      // expected-error @+1 {{'tile.load' op comes after 1 waits without number 1, expected all 2 that protected it before}}
      %r = tile.load %x[%c0] tile [512] after %w {tile.waits = array<i64: 0, 1>} : memref<?xf32> -> tensor<512xf32, #l>
    }
  }
}
