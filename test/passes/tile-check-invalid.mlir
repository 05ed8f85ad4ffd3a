// RUN: tilec-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-lower,tile-check))'

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
tile.program @no_barrier<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @no_barrier attributes {shared_bytes = 16384 : i64, waves = 4 : i64} {
    tile.role @tiles {
      %z = arith.constant 0 : index
      %t = tile.splat 0.0 [512] : tensor<512xf32, #l>
      %s = tile.shared_buffer at 64 : memref<512xf32, #s>
      // expected-note @+1 {{the store is here}}
      tile.shared_store %t, %s : tensor<512xf32, #l>, memref<512xf32, #s>
      // expected-error @+1 {{'hip.shared_load' op reads LDS without a barrier after a store to it}}
      %r = tile.shared_load %s : memref<512xf32, #s> -> tensor<512xf32, #l>
      tile.store %r, %x[%z] : tensor<512xf32, #l>, memref<?xf32>
    }
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
// Where a condition holds its negation does not: nobody comes to the barrier.
tile.program @negated<%M>(%x: memref<?xf32>) world 2 extents [%x: %M] {
  tile.kernel @negated attributes {shared_bytes = 16384 : i64, waves = 4 : i64} {
    tile.role @tiles {
      %z = arith.constant 0 : index
      %true = arith.constant true
      %rank = tile.rank
      %first = arith.cmpi eq, %rank, %z : index
      %t = tile.splat 0.0 [512] : tensor<512xf32, #l>
      %s = tile.shared_buffer at 64 : memref<512xf32, #s>
      scf.if %first {
        // expected-note @+1 {{the store is here}}
        tile.shared_store %t, %s : tensor<512xf32, #l>, memref<512xf32, #s>
        %other = arith.xori %first, %true : i1
        scf.if %other {
          tile.barrier
        }
        // expected-error @+1 {{'hip.shared_load' op reads LDS without a barrier after a store to it}}
        %r = tile.shared_load %s : memref<512xf32, #s> -> tensor<512xf32, #l>
        tile.store %r, %x[%z] : tensor<512xf32, #l>, memref<?xf32>
      }
    }
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
// Tasks that are dealt out by number have no barrier between them.
tile.program @tasks<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @tasks attributes {dealing = #tile<dealing strided>, shared_bytes = 16384 : i64, waves = 4 : i64} {
    tile.role @tiles {
      %z = arith.constant 0 : index
      tile.forall (%m) in [%M] {
        %t = tile.splat 0.0 [512] : tensor<512xf32, #l>
        %s = tile.shared_buffer at 64 : memref<512xf32, #s>
        // expected-error @+1 {{'hip.shared_store' op overwrites LDS without a barrier after a load of it}}
        tile.shared_store %t, %s : tensor<512xf32, #l>, memref<512xf32, #s>
        tile.barrier
        // expected-note @+1 {{the load is here}}
        %r = tile.shared_load %s : memref<512xf32, #s> -> tensor<512xf32, #l>
        tile.store %r, %x[%z] : tensor<512xf32, #l>, memref<?xf32>
      }
    }
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
tile.program @copies<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @copies attributes {shared_bytes = 16384 : i64, waves = 4 : i64} {
    tile.role @tiles {
      %z = arith.constant 0 : index
      %t = tile.splat 0.0 [512] : tensor<512xf32, #l>
      %s = tile.shared_buffer at 64 : memref<2x512xf32, #s>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      tile.shared_store %t, %s[%c0] : tensor<512xf32, #l>, memref<2x512xf32, #s>
      scf.for %k = %c0 to %M step %c1 iter_args(%copy = %c0) -> (index) {
        %next = arith.subi %c1, %copy : index
        tile.barrier
        // expected-note @+1 {{the load is here}}
        %r = tile.shared_load %s[%copy] : memref<2x512xf32, #s> -> tensor<512xf32, #l>
        tile.store %r, %x[%z] : tensor<512xf32, #l>, memref<?xf32>
        // expected-error @+1 {{'hip.shared_store' op overwrites LDS without a barrier after a load of it}}
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
  tile.kernel @one_side attributes {shared_bytes = 16384 : i64, waves = 4 : i64} {
    tile.role @tiles {
      %z = arith.constant 0 : index
      %t = tile.splat 0.0 [512] : tensor<512xf32, #l>
      %s = tile.shared_buffer at 64 : memref<512xf32, #s>
      %c0 = arith.constant 0 : index
      %some = arith.cmpi slt, %c0, %M : index
      // expected-note @+1 {{the store is here}}
      tile.shared_store %t, %s : tensor<512xf32, #l>, memref<512xf32, #s>
      scf.if %some {
        tile.barrier
      }
      // expected-error @+1 {{'hip.shared_load' op reads LDS without a barrier after a store to it}}
      %r = tile.shared_load %s : memref<512xf32, #s> -> tensor<512xf32, #l>
      tile.store %r, %x[%z] : tensor<512xf32, #l>, memref<?xf32>
    }
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
tile.program @two_stores<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @two_stores attributes {shared_bytes = 16384 : i64, waves = 4 : i64} {
    tile.role @tiles {
      %t = tile.splat 0.0 [512] : tensor<512xf32, #l>
      %s = tile.shared_buffer at 64 : memref<512xf32, #s>
      // expected-note @+1 {{the other store is here}}
      tile.shared_store %t, %s : tensor<512xf32, #l>, memref<512xf32, #s>
      // expected-error @+1 {{'hip.shared_store' op overwrites LDS without a barrier after another store}}
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
      %z = arith.constant 0 : index
      %t = tile.splat 0.0 [512] : tensor<512xf32, #l>
      %s = tile.shared_buffer at 128 : memref<512xf32, #s>
      %o = tile.shared_buffer at 1152 : memref<512xf32, #s>
      tile.shared_store %t, %s : tensor<512xf32, #l>, memref<512xf32, #s>
      tile.barrier
      // expected-note @+1 {{the store of the other tile is here}}
      tile.shared_store %t, %o : tensor<512xf32, #l>, memref<512xf32, #s>
      tile.barrier
      // expected-error @+1 {{'hip.shared_load' op reads LDS that another tile has overwritten}}
      %r = tile.shared_load %s : memref<512xf32, #s> -> tensor<512xf32, #l>
      tile.store %r, %x[%z] : tensor<512xf32, #l>, memref<?xf32>
    }
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
tile.program @never_stored<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @never_stored attributes {shared_bytes = 16384 : i64, waves = 4 : i64} {
    tile.role @tiles {
      %z = arith.constant 0 : index
      %s = tile.shared_buffer at 64 : memref<512xf32, #s>
      // expected-error @+1 {{'hip.shared_load' op reads LDS that nothing has stored}}
      %r = tile.shared_load %s : memref<512xf32, #s> -> tensor<512xf32, #l>
      tile.store %r, %x[%z] : tensor<512xf32, #l>, memref<?xf32>
    }
  }
}

// -----

#s = #tile.shared<1, 1, 1>
#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
tile.program @outside() world 1 {
  hip.kernel @k attributes {restricted = array<i1>, sources = array<i64>, shared_bytes = 4096 : i64, threads = 256 : i64} {
    %zero = arith.constant 0.0 : f32
    %t = hip.splat %zero : (f32) -> tensor<512xf32, #l>
    %c2112 = arith.constant 2112 : index
    %s = hip.shared %c2112 : (index) -> !hip.shared<f32, [512], <1, 1, 1>>
    // expected-error @+1 {{'hip.shared_store' op lies at bytes 2112 to 4160 of LDS, expected inside 0 to 4096}}
    hip.shared_store %t, %s : (tensor<512xf32, #l>, !hip.shared<f32, [512], <1, 1, 1>>) -> ()
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
tile.program @no_address() world 1 {
  hip.kernel @k attributes {restricted = array<i1>, sources = array<i64>, shared_bytes = 4096 : i64, threads = 256 : i64} {
    %s = "test.unknown"() : () -> !hip.shared<f32, [512], <1, 1, 1>>
    // expected-error @+1 {{'hip.shared_load' op addresses LDS through a value that is no 'hip.shared'}}
    %r = hip.shared_load %s : (!hip.shared<f32, [512], <1, 1, 1>>) -> tensor<512xf32, #l>
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
// The ticket of the only loop of a group is drawn in the head of the loop, behind what its role does before.
tile.program @before_the_ticket<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @k attributes {shared_bytes = 16384 : i64, waves = 4 : i64} {
    tile.role @one on 2 workgroups {
      %z = arith.constant 0 : index
      %t = tile.splat 0.0 [512] : tensor<512xf32, #l>
      %s = tile.shared_buffer at 64 : memref<512xf32, #s>
      tile.shared_store %t, %s : tensor<512xf32, #l>, memref<512xf32, #s>
      tile.barrier
      // expected-note @+1 {{the load is here}}
      %r = tile.shared_load %s : memref<512xf32, #s> -> tensor<512xf32, #l>
      tile.store %r, %x[%z] : tensor<512xf32, #l>, memref<?xf32>
    }
    tile.role @two {
      %t = tile.splat 1.0 [512] : tensor<512xf32, #l>
      %s = tile.shared_buffer at 64 : memref<512xf32, #s>
      // expected-error @+1 {{'hip.shared_store' op overwrites LDS without a barrier after a load of it}}
      tile.shared_store %t, %s : tensor<512xf32, #l>, memref<512xf32, #s>
      tile.forall (%m) in [%M] {
        tile.store %t, %x[%m] : tensor<512xf32, #l>, memref<?xf32>
      }
    }
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
#s = #tile.shared<1, 1, 1>
// A wave that has scanned may store where the others still read its totals: the barriers inside come before.
tile.program @behind_a_scan<%M>(%x: memref<?xf32>) world 1 extents [%x: %M] {
  tile.kernel @behind_a_scan attributes {shared_bytes = 16384 : i64, waves = 4 : i64} {
    tile.role @tiles {
      %z = arith.constant 0 : index
      %t = tile.splat 0.0 [512] : tensor<512xf32, #l>
      %totals = tile.shared_buffer at 64 : memref<4xf32, #s>
      %s = tile.shared_buffer at 64 : memref<512xf32, #s>
      tile.barrier
      // expected-note @+1 {{the load is here}}
      %sums = tile.scan add %t dim 0 scratch %totals in memref<4xf32, #s> : tensor<512xf32, #l>
      // expected-error @+1 {{'hip.shared_store' op overwrites LDS without a barrier after a load of it}}
      tile.shared_store %sums, %s : tensor<512xf32, #l>, memref<512xf32, #s>
      tile.barrier
      %r = tile.shared_load %s : memref<512xf32, #s> -> tensor<512xf32, #l>
      tile.store %r, %x[%z] : tensor<512xf32, #l>, memref<?xf32>
    }
  }
}
