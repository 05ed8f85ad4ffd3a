// RUN: tilec-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// Results that the copy engine stores: what it does not know, and places that are none.

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @not_last<%M>(%c: memref<?x?xbf16>, %d: memref<?x?xbf16>) extents [%c: %M, %M] [%d: %M, %M] {
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      %out, %scratch, %i = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<64x64xbf16, #s>, i1)
      tile.forall (%m, %n) in [1, 1] {
        // expected-error @below {{'tile.store_async' op is followed by what its task does, expected it last}}
        tile.store_async %out, %c[%m, %n] through %scratch stored tensor<64x64xbf16, #rows> : tensor<64x64xbf16, #sums>, memref<?x?xbf16>, memref<64x64xbf16, #s>
        // expected-note @below {{this comes behind}}
        tile.store %out, %d[%m, %n] : tensor<64x64xbf16, #sums>, memref<?x?xbf16>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @not_last_in_branch<%M>(%c: memref<?x?xbf16>, %d: memref<?x?xbf16>) extents [%c: %M, %M] [%d: %M, %M] {
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      %out, %scratch, %i = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<64x64xbf16, #s>, i1)
      tile.forall (%m, %n) in [1, 1] {
        scf.if %i {
          // expected-error @below {{'tile.store_async' op is followed by what its task does, expected it last}}
          tile.store_async %out, %c[%m, %n] through %scratch stored tensor<64x64xbf16, #rows> : tensor<64x64xbf16, #sums>, memref<?x?xbf16>, memref<64x64xbf16, #s>
        }
        // expected-note @below {{this comes behind}}
        tile.store %out, %d[%m, %n] : tensor<64x64xbf16, #sums>, memref<?x?xbf16>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @defer_not_last<%M>(%c: memref<?x?xbf16>, %d: memref<?x?xbf16>) extents [%c: %M, %M] [%d: %M, %M] {
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      %out, %scratch, %i = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<64x64xbf16, #s>, i1)
      tile.forall (%m, %n) in [1, 1] {
        tile.store_deferred
        // expected-error @below {{'tile.defer' op is followed by what its task does, expected it last}}
        tile.defer %out, %c[%m, %n] through %scratch stored tensor<64x64xbf16, #rows> async : tensor<64x64xbf16, #sums>, memref<?x?xbf16>, memref<64x64xbf16, #s>
        // expected-note @below {{this comes behind}}
        tile.store %out, %d[%m, %n] : tensor<64x64xbf16, #sums>, memref<?x?xbf16>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @rank<%M>(%c: memref<?x?x64xbf16>) extents [%c: %M, %M, 64] {
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      %out, %scratch, %i = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<64x64xbf16, #s>, index)
      tile.forall (%m, %n) in [1, 1] {
        tile.store_deferred
        // expected-error @below {{'tile.defer' op has the copy engine store to 'memref<?x?x64xbf16>', expected a matrix}}
        tile.defer %out, %c[%i, %m, %n] through %scratch stored tensor<64x64xbf16, #rows> async : tensor<64x64xbf16, #sums>, memref<?x?x64xbf16>, memref<64x64xbf16, #s>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @copies<%M>(%c: memref<?x?xbf16>) extents [%c: %M, %M] {
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      %out, %scratch, %i = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<2x64x64xbf16, #s>, index)
      tile.forall (%m, %n) in [1, 1] {
        tile.store_deferred
        // expected-error @below {{'tile.defer' op has several copies of a part in LDS, expected one: each step stores at most one part}}
        tile.defer %out, %c[%m, %n] through %scratch stored tensor<64x64xbf16, #rows> async : tensor<64x64xbf16, #sums>, memref<?x?xbf16>, memref<2x64x64xbf16, #s>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @too_many<%M>(%c: memref<?x?xbf16>) extents [%c: %M, %M] {
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      %out, %scratch = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<9x64x64xbf16, #s>)
      tile.forall (%m, %n) in [1, 1] {
        // expected-error @below {{'tile.store_async' op has 9 copies of a part in LDS, expected 1 to 8}}
        tile.store_async %out, %c[%m, %n] through %scratch stored tensor<64x64xbf16, #rows> : tensor<64x64xbf16, #sums>, memref<?x?xbf16>, memref<9x64x64xbf16, #s>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#plain = #tile.shared<8, 2, 4>
#s = #tile.shared<8, 1, 8>
tile.program @placement<%M>(%c: memref<?x?xbf16>) extents [%c: %M, %M] {
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      %out, %scratch, %i, %other = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<64x64xbf16, #s>, index, memref<64x64xbf16, #plain>)
      tile.forall (%m, %n) in [1, 1] {
        // expected-error-re @below {{'tile.store_async' op has the copy engine store {{.*}} from {{.*}}, expected waves with rows of their own, one behind the other, and rows of 32, 64 or 128 bytes in LDS as it swizzles them}}
        tile.store_async %out, %c[%m, %n] through %other stored tensor<64x64xbf16, #rows> : tensor<64x64xbf16, #sums>, memref<?x?xbf16>, memref<64x64xbf16, #plain>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#across = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], waves = [[0, 16], [0, 32]]>
#s = #tile.shared<8, 1, 8>
tile.program @columns<%M>(%c: memref<?x?xbf16>) extents [%c: %M, %M] {
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      %out, %scratch, %i, %other = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<64x64xbf16, #s>, index, tensor<64x64xbf16, #across>)
      tile.forall (%m, %n) in [1, 1] {
        // expected-error-re @below {{'tile.store_async' op has the copy engine store {{.*}} from {{.*}}, expected waves with rows of their own, one behind the other, and rows of 32, 64 or 128 bytes in LDS as it swizzles them}}
        tile.store_async %other, %c[%m, %n] through %scratch stored tensor<64x64xbf16, #across> : tensor<64x64xbf16, #across>, memref<?x?xbf16>, memref<64x64xbf16, #s>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#across = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [0, 8], [64, 0], [0, 32]], lanes = [[0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @more_rows<%M>(%c: memref<?x?xbf16>) extents [%c: %M, %M] {
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      %out, %scratch, %i, %other, %tall = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<64x64xbf16, #s>, index, tensor<128x64xbf16, #across>, memref<128x64xbf16, #s>)
      tile.forall (%m, %n) in [1, 1] {
        // expected-error-re @below {{'tile.store_async' op has the copy engine store {{.*}} from {{.*}}, expected waves with rows of their own, one behind the other, and rows of 32, 64 or 128 bytes in LDS as it swizzles them}}
        tile.store_async %other, %c[%m, %n] through %tall stored tensor<128x64xbf16, #across> : tensor<128x64xbf16, #across>, memref<?x?xbf16>, memref<128x64xbf16, #s>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @layout<%M>(%c: memref<?x?xbf16>) extents [%c: %M, %M] {
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      %out, %scratch, %i = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<64x64xbf16, #s>, index)
      tile.forall (%m, %n) in [1, 1] {
        // expected-error-re @below {{'tile.store_async' op stores 'tensor<64x32xbf16>', expected {{.*}} in another layout}}
        tile.store_async %out, %c[%m, %n] through %scratch stored tensor<64x32xbf16> : tensor<64x64xbf16, #sums>, memref<?x?xbf16>, memref<64x64xbf16, #s>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @loop<%M>(%c: memref<?x?xbf16>) extents [%c: %M, %M] {
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      %out, %scratch, %i = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<64x64xbf16, #s>, index)
      tile.forall (%m, %n) in [1, 1] {
        %one = arith.constant 1 : index
        scf.for %k = %i to %one step %one {
          // expected-error @below {{'tile.store_async' op stands in a loop, or outside of tasks, expected it in the body of a 'tile.forall'}}
          tile.store_async %out, %c[%m, %n] through %scratch stored tensor<64x64xbf16, #rows> : tensor<64x64xbf16, #sums>, memref<?x?xbf16>, memref<64x64xbf16, #s>
        }
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
%view, %t, %i, %map = "any.values"() : () -> (!hip.view<bf16, 2>, tensor<64x64xbf16, #sums>, index, !hip.tensor_map<<bf16, [32, 64], <8, 1, 8>>>)
%offset = arith.constant 1024 : index
%s = hip.shared %offset : (index) -> !hip.shared<bf16, [64, 64], <8, 1, 8>>
// expected-error-re @below {{'hip.store_async' op has the copy engine store {{.*}} from {{.*}} by {{.*}}, expected a map of a matrix, in tiles of what a wave has of a part: rows of its own of 32, 64 or 128 bytes, as the engine swizzles them}}
hip.store_async %t, %s, %view, %i, %i, %map {copies = 1 : i64, stored = tensor<64x64xbf16, #rows>, vector = 8 : i64} : (tensor<64x64xbf16, #sums>, !hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.view<bf16, 2>, index, index, !hip.tensor_map<<bf16, [32, 64], <8, 1, 8>>>) -> ()

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
%view, %t, %i, %map = "any.values"() : () -> (!hip.view<bf16, 2>, tensor<64x64xbf16, #sums>, index, !hip.tensor_map<<bf16, [16, 64], <8, 1, 8>>>)
%offset = arith.constant 1152 : index
%s = hip.shared %offset : (index) -> !hip.shared<bf16, [64, 64], <8, 1, 8>>
// expected-error @below {{'hip.store_async' op has the copy engine store what does not begin at a multiple of 1024 bytes of LDS, where its swizzle does}}
hip.store_async %t, %s, %view, %i, %i, %map {copies = 1 : i64, stored = tensor<64x64xbf16, #rows>, vector = 8 : i64} : (tensor<64x64xbf16, #sums>, !hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.view<bf16, 2>, index, index, !hip.tensor_map<<bf16, [16, 64], <8, 1, 8>>>) -> ()

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
%view, %t, %i, %map = "any.values"() : () -> (!hip.view<bf16, 2>, tensor<64x64xbf16, #sums>, index, !hip.tensor_map<<bf16, [16, 64], <8, 1, 8>>>)
%offset = arith.constant 1024 : index
%s = hip.shared %offset : (index) -> !hip.shared<bf16, [64, 64], <8, 1, 8>>
// expected-error @below {{'hip.store_async' op has 1 coordinates, expected 2 as '!hip.view<bf16, 2>' has}}
hip.store_async %t, %s, %view, %i, %map {copies = 1 : i64, stored = tensor<64x64xbf16, #rows>, vector = 8 : i64} : (tensor<64x64xbf16, #sums>, !hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.view<bf16, 2>, index, !hip.tensor_map<<bf16, [16, 64], <8, 1, 8>>>) -> ()

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
%view, %t, %i, %map = "any.values"() : () -> (!hip.view<bf16, 2>, tensor<64x64xbf16, #sums>, index, !hip.tensor_map<<bf16, [16, 64], <8, 1, 8>>>)
%offset = arith.constant 1024 : index
%s = hip.shared %offset : (index) -> !hip.shared<bf16, [64, 64], <8, 1, 8>>
// expected-error @below {{'hip.store_async' op has 9 copies of a part in LDS, expected 1 to 8}}
hip.store_async %t, %s, %view, %i, %map {copies = 9 : i64, stored = tensor<64x64xbf16, #rows>, vector = 8 : i64} : (tensor<64x64xbf16, #sums>, !hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.view<bf16, 2>, index, !hip.tensor_map<<bf16, [16, 64], <8, 1, 8>>>) -> ()

// -----

#sums = #tile.layout<registers = [[0, 1], [0, 8], [0, 16]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = []>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], waves = []>
%view, %t, %i, %map = "any.values"() : () -> (!hip.view<bf16, 2>, tensor<8x32xbf16, #sums>, index, !hip.tensor_map<<bf16, [8, 32], <8, 2, 4>>>)
%offset = arith.constant 1024 : index
%s = hip.shared %offset : (index) -> !hip.shared<bf16, [8, 32], <8, 2, 4>>
// expected-error @below {{'hip.store_async' op has copies of 512 bytes, expected each at a multiple of 1024}}
hip.store_async %t, %s, %view, %i, %i, %map {copies = 2 : i64, stored = tensor<8x32xbf16, #rows>, vector = 8 : i64} : (tensor<8x32xbf16, #sums>, !hip.shared<bf16, [8, 32], <8, 2, 4>>, !hip.view<bf16, 2>, index, index, !hip.tensor_map<<bf16, [8, 32], <8, 2, 4>>>) -> ()

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
%view, %t, %i, %map = "any.values"() : () -> (!hip.view<bf16, 2>, tensor<64x64xbf16, #sums>, index, !hip.tensor_map<<bf16, [16, 64], <8, 1, 8>>>)
%offset = arith.constant 1024 : index
%s = hip.shared %offset : (index) -> !hip.shared<bf16, [64, 64], <8, 1, 8>>
// expected-error @below {{'hip.store_async' op stands where all waves do the same, expected it among consumers, in a 'hip.by_role'}}
hip.store_async %t, %s, %view, %i, %i, %map {copies = 1 : i64, stored = tensor<64x64xbf16, #rows>, vector = 8 : i64} : (tensor<64x64xbf16, #sums>, !hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.view<bf16, 2>, index, index, !hip.tensor_map<<bf16, [16, 64], <8, 1, 8>>>) -> ()

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
%view, %t, %i, %map = "any.values"() : () -> (!hip.view<bf16, 3>, tensor<64x64xbf16, #sums>, index, !hip.tensor_map<<bf16, [16, 64], <8, 1, 8>>>)
%offset = arith.constant 1024 : index
%s = hip.shared %offset : (index) -> !hip.shared<bf16, [64, 64], <8, 1, 8>>
// expected-error-re @below {{'hip.deferred' op has the copy engine store {{.*}} from {{.*}} by {{.*}}, expected a map of a matrix, in tiles of what a wave has of a part: rows of its own of 32, 64 or 128 bytes, as the engine swizzles them}}
%d = hip.deferred %s, %view, %map {stored = tensor<64x64xbf16, #rows>, vector = 8 : i64} : (!hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.view<bf16, 3>, !hip.tensor_map<<bf16, [16, 64], <8, 1, 8>>>) -> !hip.held<tensor<64x64xbf16, #sums>, 1>

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
%view, %t, %i, %map = "any.values"() : () -> (!hip.view<bf16, 2>, tensor<64x64xbf16, #sums>, index, !hip.tensor_map<<bf16, [16, 64], <8, 1, 8>>>)
%offset = arith.constant 1024 : index
%s = hip.shared %offset : (index) -> !hip.shared<bf16, [64, 64], <8, 1, 8>>
// expected-error @below {{'hip.deferred' op holds 2 tiles, expected one}}
%d = hip.deferred %s, %view, %map {stored = tensor<64x64xbf16, #rows>, vector = 8 : i64} : (!hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.view<bf16, 2>, !hip.tensor_map<<bf16, [16, 64], <8, 1, 8>>>) -> !hip.held<tensor<64x64xbf16, #sums>, 2>
