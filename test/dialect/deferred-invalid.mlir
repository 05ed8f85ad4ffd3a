// RUN: tilec-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#mixed = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[4, 0], [8, 0]]>
#s = #tile.shared<8, 1, 8>
#half = #tile.shared<8, 1, 4>
tile.program @shape<%M>(%c: memref<?x?xbf16>) extents [%c: %M, %M] {
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      %out, %scratch, %half, %i = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<64x64xbf16, #s>, memref<32x32xbf16, #half>, index)
      tile.forall (%m, %n) in [1, 1] {
        tile.store_deferred
        // expected-error-re @below {{'tile.defer' op stores {{.*}}, expected {{.*}} in another layout}}
        tile.defer %out, %c[%m, %n] through %scratch stored tensor<64x32xbf16, #rows> : tensor<64x64xbf16, #sums>, memref<?x?xbf16>, memref<64x64xbf16, #s>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#mixed = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[4, 0], [8, 0]]>
#s = #tile.shared<8, 1, 8>
#half = #tile.shared<8, 1, 4>
tile.program @scratch<%M>(%c: memref<?x?xbf16>) extents [%c: %M, %M] {
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      %out, %scratch, %half, %i = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<64x64xbf16, #s>, memref<32x32xbf16, #half>, index)
      tile.forall (%m, %n) in [1, 1] {
        tile.store_deferred
        // expected-error-re @below {{'tile.defer' op sends {{.*}} through {{.*}}, expected a buffer in LDS of a part of its columns, or of its rows}}
        tile.defer %out, %c[%m, %n] through %half stored tensor<64x64xbf16, #rows> : tensor<64x64xbf16, #sums>, memref<?x?xbf16>, memref<32x32xbf16, #half>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#mixed = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[4, 0], [8, 0]]>
#s = #tile.shared<8, 1, 8>
#half = #tile.shared<8, 1, 4>
tile.program @waves<%M>(%c: memref<?x?xbf16>) extents [%c: %M, %M] {
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      %out, %scratch, %half, %i = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<64x64xbf16, #s>, memref<32x32xbf16, #half>, index)
      tile.forall (%m, %n) in [1, 1] {
        tile.store_deferred
        // expected-error-re @below {{'tile.defer' op cannot store {{.*}} as {{.*}}: waves would hold other elements}}
        tile.defer %out, %c[%m, %n] through %scratch stored tensor<64x64xbf16, #mixed> : tensor<64x64xbf16, #sums>, memref<?x?xbf16>, memref<64x64xbf16, #s>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#mixed = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[4, 0], [8, 0]]>
#s = #tile.shared<8, 1, 8>
#half = #tile.shared<8, 1, 4>
tile.program @twice<%M>(%c: memref<?x?xbf16>) extents [%c: %M, %M] {
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      %out, %scratch, %half, %i = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<64x64xbf16, #s>, memref<32x32xbf16, #half>, index)
      tile.forall (%m, %n) in [1, 1] {
        tile.store_deferred
        // expected-error @below {{'tile.defer' op stands beside another 'tile.defer', expected one of a task}}
        tile.defer %out, %c[%m, %n] through %scratch stored tensor<64x64xbf16, #rows> : tensor<64x64xbf16, #sums>, memref<?x?xbf16>, memref<64x64xbf16, #s>
        tile.defer %out, %c[%m, %n] through %scratch stored tensor<64x64xbf16, #rows> : tensor<64x64xbf16, #sums>, memref<?x?xbf16>, memref<64x64xbf16, #s>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#mixed = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[4, 0], [8, 0]]>
#s = #tile.shared<8, 1, 8>
#half = #tile.shared<8, 1, 4>
tile.program @kept<%M>(%c: memref<?x?xbf16>) extents [%c: %M, %M] {
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      %out, %scratch, %half, %i = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<64x64xbf16, #s>, memref<32x32xbf16, #half>, index)
      tile.forall (%m, %n) in [1, 1] {
        // expected-error @below {{'tile.defer' op fills registers that may hold what the task before has left, expected a 'tile.store_deferred' of all of it before, in the body of the task}}
        tile.defer %out, %c[%m, %n] through %scratch stored tensor<64x64xbf16, #rows> : tensor<64x64xbf16, #sums>, memref<?x?xbf16>, memref<64x64xbf16, #s>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#mixed = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[4, 0], [8, 0]]>
#s = #tile.shared<8, 1, 8>
#half = #tile.shared<8, 1, 4>
tile.program @nothing<%M>(%c: memref<?x?xbf16>) extents [%c: %M, %M] {
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      %out, %scratch, %half, %i = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<64x64xbf16, #s>, memref<32x32xbf16, #half>, index)
      tile.forall (%m, %n) in [1, 1] {
        // expected-error @below {{'tile.store_deferred' op stores what no task defers, expected a 'tile.defer' in its 'tile.forall'}}
        tile.store_deferred
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#mixed = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[4, 0], [8, 0]]>
#s = #tile.shared<8, 1, 8>
#half = #tile.shared<8, 1, 4>
tile.program @slot<%M>(%c: memref<?x?xbf16>) extents [%c: %M, %M] {
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      %out, %scratch, %half, %i = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<64x64xbf16, #s>, memref<32x32xbf16, #half>, index)
      tile.forall (%m, %n) in [1, 1] {
        // expected-error @below {{'tile.store_deferred' op stores the part of another slot, expected that of the step of a 'tile.stream' that uses it}}
        tile.store_deferred [%i]
        tile.store_deferred
        tile.defer %out, %c[%m, %n] through %scratch stored tensor<64x64xbf16, #rows> : tensor<64x64xbf16, #sums>, memref<?x?xbf16>, memref<64x64xbf16, #s>
      }
    }
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#mixed = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[4, 0], [8, 0]]>
#s = #tile.shared<8, 1, 8>
#half = #tile.shared<8, 1, 4>
%view, %s, %half, %t, %i = "any.values"() : () -> (!hip.view<bf16, 2>, !hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.shared<bf16, [32, 32], <8, 1, 4>>, tensor<64x64xbf16, #sums>, index)
// expected-error-re @below {{'hip.deferred' op stores {{.*}} as {{.*}} through {{.*}} to {{.*}}, expected one shape and element type, and a part of its columns in LDS, or of its rows}}
%d = hip.deferred %half, %view {stored = tensor<64x64xbf16, #rows>, vector = 8 : i64} : (!hip.shared<bf16, [32, 32], <8, 1, 4>>, !hip.view<bf16, 2>) -> !hip.held<tensor<64x64xbf16, #sums>, 1>

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#mixed = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[4, 0], [8, 0]]>
#s = #tile.shared<8, 1, 8>
#half = #tile.shared<8, 1, 4>
%view, %s, %half, %t, %i = "any.values"() : () -> (!hip.view<bf16, 2>, !hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.shared<bf16, [32, 32], <8, 1, 4>>, tensor<64x64xbf16, #sums>, index)
// expected-error-re @below {{'hip.deferred' op cannot store {{.*}} as {{.*}}: waves would hold other elements}}
%d = hip.deferred %s, %view {stored = tensor<64x64xbf16, #mixed>, vector = 8 : i64} : (!hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.view<bf16, 2>) -> !hip.held<tensor<64x64xbf16, #sums>, 1>

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#mixed = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[4, 0], [8, 0]]>
#s = #tile.shared<8, 1, 8>
#half = #tile.shared<8, 1, 4>
%view, %s, %half, %t, %i = "any.values"() : () -> (!hip.view<bf16, 2>, !hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.shared<bf16, [32, 32], <8, 1, 4>>, tensor<64x64xbf16, #sums>, index)
// expected-error-re @below {{'hip.deferred' op stores 16 elements of {{.*}} per access, expected registers that run along the last dimension}}
%d = hip.deferred %s, %view {stored = tensor<64x64xbf16, #rows>, vector = 16 : i64} : (!hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.view<bf16, 2>) -> !hip.held<tensor<64x64xbf16, #sums>, 1>

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#mixed = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[4, 0], [8, 0]]>
#s = #tile.shared<8, 1, 8>
#half = #tile.shared<8, 1, 4>
%view, %s, %half, %t, %i = "any.values"() : () -> (!hip.view<bf16, 2>, !hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.shared<bf16, [32, 32], <8, 1, 4>>, tensor<64x64xbf16, #sums>, index)
%d = "any.held"() : () -> !hip.held<tensor<64x64xbf16, #sums>, 1>
// expected-error @below {{'hip.defer' op fills registers that no 'hip.deferred' declares}}
hip.defer %d, %t, %i, %i : (!hip.held<tensor<64x64xbf16, #sums>, 1>, tensor<64x64xbf16, #sums>, index, index) -> ()

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#mixed = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[4, 0], [8, 0]]>
#s = #tile.shared<8, 1, 8>
#half = #tile.shared<8, 1, 4>
%view, %s, %half, %t, %i = "any.values"() : () -> (!hip.view<bf16, 2>, !hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.shared<bf16, [32, 32], <8, 1, 4>>, tensor<64x64xbf16, #sums>, index)
%d = "any.held"() : () -> !hip.held<tensor<64x64xbf16, #sums>, 1>
// expected-error @below {{'hip.store_deferred' op stores registers that no 'hip.deferred' declares}}
hip.store_deferred %d : (!hip.held<tensor<64x64xbf16, #sums>, 1>) -> ()

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#mixed = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[4, 0], [8, 0]]>
#s = #tile.shared<8, 1, 8>
#half = #tile.shared<8, 1, 4>
%view, %s, %half, %t, %i = "any.values"() : () -> (!hip.view<bf16, 2>, !hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.shared<bf16, [32, 32], <8, 1, 4>>, tensor<64x64xbf16, #sums>, index)
%d = hip.deferred %s, %view {stored = tensor<64x64xbf16, #rows>, vector = 8 : i64} : (!hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.view<bf16, 2>) -> !hip.held<tensor<64x64xbf16, #sums>, 1>
%u = "any.tile"() : () -> tensor<64x64xbf16, #rows>
// expected-error-re @below {{'hip.defer' op leaves {{.*}}, expected {{.*}} as the registers hold}}
hip.defer %d, %u, %i, %i : (!hip.held<tensor<64x64xbf16, #sums>, 1>, tensor<64x64xbf16, #rows>, index, index) -> ()

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#mixed = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[4, 0], [8, 0]]>
#s = #tile.shared<8, 1, 8>
#half = #tile.shared<8, 1, 4>
%view, %s, %half, %t, %i = "any.values"() : () -> (!hip.view<bf16, 2>, !hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.shared<bf16, [32, 32], <8, 1, 4>>, tensor<64x64xbf16, #sums>, index)
%d = hip.deferred %s, %view {stored = tensor<64x64xbf16, #rows>, vector = 8 : i64} : (!hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.view<bf16, 2>) -> !hip.held<tensor<64x64xbf16, #sums>, 1>
// expected-error @below {{'hip.defer' op has 1 coordinates, expected 2 as '!hip.view<bf16, 2>' has}}
hip.defer %d, %t, %i : (!hip.held<tensor<64x64xbf16, #sums>, 1>, tensor<64x64xbf16, #sums>, index) -> ()

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#mixed = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[4, 0], [8, 0]]>
#s = #tile.shared<8, 1, 8>
#half = #tile.shared<8, 1, 4>
%view, %s, %half, %t, %i = "any.values"() : () -> (!hip.view<bf16, 2>, !hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.shared<bf16, [32, 32], <8, 1, 4>>, tensor<64x64xbf16, #sums>, index)
%d = hip.deferred %s, %view {stored = tensor<64x64xbf16, #rows>, vector = 8 : i64} : (!hip.shared<bf16, [64, 64], <8, 1, 8>>, !hip.view<bf16, 2>) -> !hip.held<tensor<64x64xbf16, #sums>, 1>
// expected-error @below {{'hip.store_deferred' op stores the part of another slot, expected that of the step of a 'hip.consume', of as many slots}}
hip.store_deferred %d, %i {slots = 4 : i64} : (!hip.held<tensor<64x64xbf16, #sums>, 1>, index) -> ()
