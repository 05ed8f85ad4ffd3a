// RUN: tilec-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

tile.program @chunk() {
  %a, %i = "any.values"() : () -> (memref<16x32xbf16, #tile.shared<8, 2, 4>>, index)
  // expected-error @below {{'tile.regular' op expected a buffer in memory, got one in LDS}}
  %r = tile.regular %a[%i, %i] tile [16, 32] vector 8 : memref<16x32xbf16, #tile.shared<8, 2, 4>>
}

// -----

tile.program @chunk() {
  %a, %i = "any.values"() : () -> (memref<?x64xbf16>, index)
  // expected-error @below {{'tile.regular' op takes tiles of rank 2 from 'memref<?x64xbf16>' at 1 indices, expected matrices}}
  %r = tile.regular %a[%i] tile [16, 32] vector 8 : memref<?x64xbf16>
}

// -----

tile.program @chunk() {
  %a, %i = "any.values"() : () -> (memref<?x8x64xbf16>, index)
  // expected-error @below {{'tile.fetch' op takes tiles of rank 2 from 'memref<?x8x64xbf16>' at 3 indices, expected matrices}}
  %t = tile.fetch %a[%i, %i, %i] : memref<?x8x64xbf16> -> tensor<16x32xbf16>
}

// -----

tile.program @chunk() {
  %a, %i = "any.values"() : () -> (memref<?x64xbf16>, index)
  // expected-error @below {{'tile.fetch' op addresses another rank's copy of 'memref<?x64xbf16>', expected memory space #tile.symmetric}}
  %t = tile.fetch %a[%i, %i] from %i : memref<?x64xbf16> -> tensor<16x32xbf16>
}

// -----

tile.program @chunk() {
  %a, %i = "any.values"() : () -> (memref<?x64xbf16>, index)
  // expected-error @below {{'tile.regular' op asks for vectors of 3 elements, expected a power of two}}
  %r = tile.regular %a[%i, %i] tile [16, 32] vector 3 : memref<?x64xbf16>
}

// -----

tile.program @chunk() {
  %a, %i = "any.values"() : () -> (memref<?x64xbf16>, index)
  // expected-error @below {{'tile.fetch' op yields a tile of 'f32', expected 'bf16', the element type of the buffer}}
  %t = tile.fetch %a[%i, %i] : memref<?x64xbf16> -> tensor<16x32xf32>
}

// -----

tile.program @chunk() {
  %t = "any.values"() : () -> (tensor<16x32xf32>)
  // expected-error @below {{'tile.places' op does not end with its results, expected a 'tile.placed' of their types}}
  %u = tile.places -> tensor<16x32xf32> {
    tile.placed
  }
}

// -----

tile.program @chunk() {
  %t = "any.values"() : () -> (tensor<16x32xf32>)
  tile.places {
    // expected-error @below {{'arith.negf' op stands in a 'tile.places', expected products, accesses to LDS and fetches alone}}
    %u = arith.negf %t : tensor<16x32xf32>
    tile.placed
  }
}

// -----

tile.program @chunk() {
  %s = "any.values"() : () -> (memref<16x32xbf16, #tile.shared<8, 2, 4>>)
  tile.places {
    // expected-error @below {{'tile.shared_load' op reads for nobody, expected its tile among those of 'tile.placed'}}
    %t = tile.shared_load %s : memref<16x32xbf16, #tile.shared<8, 2, 4>> -> tensor<16x32xbf16>
    tile.placed
  }
}

// -----

tile.program @chunk() {
  %s, %i, %acc = "any.values"() : () -> (memref<16x32xbf16, #tile.shared<8, 2, 4>>, index, tensor<16x16xf32>)
  %r = tile.places -> tensor<16x32xbf16> {
    %t = tile.shared_load %s : memref<16x32xbf16, #tile.shared<8, 2, 4>> -> tensor<16x32xbf16>
    // expected-error @below {{'tile.dot' op uses what an access of the same 'tile.places' yields, expected it in the next step}}
    %u = tile.dot %t, transpose %t, %acc : tensor<16x32xbf16>, tensor<16x32xbf16>, tensor<16x16xf32>
    tile.placed %t : tensor<16x32xbf16>
  }
}

// -----

tile.program @chunk() {
  %s, %a, %i = "any.values"() : () -> (memref<16x32xbf16, #tile.shared<8, 2, 4>>, memref<?x64xbf16>, index)
  tile.places {
    %t = tile.fetch %a[%i, %i] : memref<?x64xbf16> -> tensor<16x32xbf16>
    // expected-error @below {{'tile.shared_store' op uses what an access of the same 'tile.places' yields}}
    tile.shared_store %t, %s : tensor<16x32xbf16>, memref<16x32xbf16, #tile.shared<8, 2, 4>>
    tile.placed
  }
}

// -----

tile.program @chunk() {
  %n = "any.values"() : () -> (index)
  // expected-error @below {{'tile.steps' op has 3 slots, expected a power of two}}
  tile.steps %n slots 3 {
  ^bb0(%k: index, %slot: index):
    tile.next
  }
}

// -----

tile.program @chunk() {
  %n = "any.values"() : () -> (index)
  // expected-error @below {{'tile.steps' op has 0 slots, expected a power of two}}
  tile.steps %n slots 0 {
  ^bb0(%k: index, %slot: index):
    tile.next
  }
}

// -----

tile.program @chunk() {
  %n, %t = "any.values"() : () -> (index, tensor<16xf32>)
  // expected-error @below {{'tile.steps' op has other arguments than expected: a step, a slot and what it carries}}
  %u = tile.steps %n slots 2 carries(%t : tensor<16xf32>) {
  ^bb0(%k: index, %slot: index):
    tile.next %t : tensor<16xf32>
  }
}

// -----

tile.program @chunk() {
  %n, %t = "any.values"() : () -> (index, tensor<16xf32>)
  // expected-error @below {{'tile.steps' op does not hand on what it carries, expected a 'tile.next' of the same types}}
  %u = tile.steps %n slots 2 carries(%t : tensor<16xf32>) {
  ^bb0(%k: index, %slot: index, %carried: tensor<16xf32>):
    tile.next
  }
}

// -----

tile.program @chunk() {
  %a, %i, %ring = "any.values"() : () -> (memref<?x64xbf16>, index, memref<2x16x32xf16, #tile.shared<8, 2, 4>>)
  // expected-error @below {{'tile.copy_async' op copies 'memref<?x64xbf16>' to 'memref<2x16x32xf16, #tile.shared<8, 2, 4>>', expected slots in LDS of the same elements}}
  tile.copy_async %a[%i, %i] -> %ring[%i] : memref<?x64xbf16>, memref<2x16x32xf16, #tile.shared<8, 2, 4>>
}

// -----

tile.program @chunk() {
  %a, %i, %ring = "any.values"() : () -> (memref<?x64xbf16>, index, memref<2x16x32xbf16, #tile.shared<8, 2, 4>>)
  // expected-error @below {{'tile.copy_async' op is 'read_once' without 'full', expected a copy that the copy engine makes}}
  tile.copy_async %a[%i, %i] read_once -> %ring[%i] : memref<?x64xbf16>, memref<2x16x32xbf16, #tile.shared<8, 2, 4>>
}

// -----

tile.program @chunk() {
  // expected-error @below {{'tile.await' op leaves 64 accesses in flight, expected 0 to 63, which a wave can count}}
  tile.await left 64
}

// -----

tile.program @chunk() {
  %a, %i = "any.values"() : () -> (memref<?x64xbf16>, index)
  // expected-error @below {{'tile.regular' op goes 'across' and 'by_rows' at once, expected one of them}}
  %r = tile.regular %a[%i, %i] tile [16, 64] vector 8 across by_rows : memref<?x64xbf16>
}

// -----

tile.program @chunk() {
  %a, %i = "any.values"() : () -> (memref<?x64xbf16>, index)
  // expected-error @below {{'tile.fetch' op goes 'across' and 'by_rows' at once, expected one of them}}
  %t = tile.fetch %a[%i, %i] across by_rows : memref<?x64xbf16> -> tensor<64x16xbf16>
}

// -----

tile.program @chunk() world 1 {
  tile.kernel @k attributes {waves = 1 : i64} {
    tile.role @r {
      %n = arith.constant 4 : index
      // expected-error @below {{'tile.steps' op alternates halves of 1 wave, expected a kernel with an even number}}
      tile.steps %n slots 2 alternating {
      ^bb0(%k: index, %slot: index):
        tile.next
      }
    }
  }
}

// -----

tile.program @chunk() {
  // expected-error @below {{'tile.priority' op has level 4, expected 0 to 3}}
  tile.priority 4
}

// -----

tile.program @alone() {
  %a, %i, %ring = "any.values"() : () -> (memref<?x64xbf16>, index, memref<2x32x64xbf16, #tile.shared<8, 1, 8>>)
  %full = tile.full slots 2
  // expected-error @below {{'tile.copy_async' op is 'halved' in a kernel whose workgroups are alone, expected 'pairs' there}}
  tile.copy_async %a[%i, %i] halved -> %ring[%i] full %full : memref<?x64xbf16>, memref<2x32x64xbf16, #tile.shared<8, 1, 8>>
}

// -----

tile.program @rows(%a: memref<?x64xbf16>) extents [%a: 64, 64] {
  tile.kernel @k attributes {dealing = #tile<dealing strided>, pairs, producer = #tile.producer<waves = 4, registers = 24, consumers = 240>, waves = 8 : i64} {
    tile.role @multiply {
      tile.forall (%m) in [2] {
        %full = tile.full slots 2
        %ring = tile.shared_buffer kept : memref<2x24x64xbf16, #tile.shared<8, 1, 8>>
        // expected-error @below {{'tile.copy_async' op is 'halved' and fills 24 rows, expected a multiple of 16, in one panel, of a matrix along whose rows the loop goes}}
        tile.copy_async %a[%m, %m] halved -> %ring[%m] full %full : memref<?x64xbf16>, memref<2x24x64xbf16, #tile.shared<8, 1, 8>>
      }
    }
  }
}
