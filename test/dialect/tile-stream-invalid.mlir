// RUN: tilec-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @chunk() {
  %a, %ring, %full, %i, %acc = "any.values"() : () -> (memref<?x64xbf16>, memref<4x64x64xbf16, #s>, !tile.full, index, tensor<64x64xf32, #sums>)
  // expected-error @below {{'tile.full' op has 0 slots, expected at least 1}}
  %f = tile.full slots 0
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @chunk() {
  %a, %ring, %full, %i, %acc = "any.values"() : () -> (memref<?x64xbf16>, memref<4x64x64xbf16, #s>, !tile.full, index, tensor<64x64xf32, #sums>)
  // expected-error @below {{'tile.stream' op fills 4 steps ahead in 4 slots, expected at least 1 and less than the slots}}
  tile.stream %i slots 4 ahead 4 fills {
  ^bb0(%k: index, %slot: index):
    tile.next
  } uses {
  ^bb0(%k: index, %slot: index):
    tile.next
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @chunk() {
  %a, %ring, %full, %i, %acc = "any.values"() : () -> (memref<?x64xbf16>, memref<4x64x64xbf16, #s>, !tile.full, index, tensor<64x64xf32, #sums>)
  // expected-error @below {{'tile.stream' op has other arguments of 'fills' than expected: a step, a slot and what it carries}}
  tile.stream %i slots 4 ahead 3 fills {
  ^bb0(%k: index):
    tile.next
  } uses {
  ^bb0(%k: index, %slot: index):
    tile.next
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @chunk() {
  %a, %ring, %full, %i, %acc = "any.values"() : () -> (memref<?x64xbf16>, memref<4x64x64xbf16, #s>, !tile.full, index, tensor<64x64xf32, #sums>)
  // expected-error @below {{'tile.stream' op does not end 'uses' with a 'tile.next' of what it carries}}
  %r = tile.stream %i slots 4 ahead 3 carries(%acc : tensor<64x64xf32, #sums>) fills {
  ^bb0(%k: index, %slot: index):
    tile.next
  } uses {
  ^bb0(%k: index, %slot: index, %sum: tensor<64x64xf32, #sums>):
    tile.next
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @chunk() {
  %a, %ring, %full, %i, %acc = "any.values"() : () -> (memref<?x64xbf16>, memref<4x64x64xbf16, #s>, !tile.full, index, tensor<64x64xf32, #sums>)
  // expected-error @below {{'tile.dot_async' op multiplies 'memref<?x64xbf16>' and 'memref<4x64x64xbf16, #tile.shared<8, 1, 8>>', expected slots in LDS}}
  %r = tile.dot_async %a[%i], transpose %ring[%i], %acc {instruction = "Wgmma64x64x16"} : memref<?x64xbf16>, memref<4x64x64xbf16, #s>, tensor<64x64xf32, #sums>
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @chunk() {
  %ring, %i, %narrow = "any.values"() : () -> (memref<4x64x64xbf16, #s>, index, tensor<64x32xf32>)
  // expected-error-re @below {{'tile.dot_async' op multiplies slots of 'memref<4x64x64xbf16, #tile.shared<8, 1, 8>>' and 'memref<4x64x64xbf16, #tile.shared<8, 1, 8>>' into 'tensor<64x32xf32>', expected shapes that agree}}
  %r = tile.dot_async %ring[%i], transpose %ring[%i], %narrow {instruction = "Wgmma64x64x16"} : memref<4x64x64xbf16, #s>, memref<4x64x64xbf16, #s>, tensor<64x32xf32>
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @chunk() {
  %a, %ring, %full, %i, %acc = "any.values"() : () -> (memref<?x64xbf16>, memref<4x64x64xbf16, #s>, !tile.full, index, tensor<64x64xf32, #sums>)
  // expected-error @below {{'tile.await_products' op leaves 8 products, expected 0 to 7, which a wave can count}}
  %r = tile.await_products %acc left 8 : tensor<64x64xf32, #sums>
}

// -----

tile.program @ahead() {
  %empty, %i = "any.values"() : () -> (!tile.empty, index)
  // expected-error @below {{'tile.stream' op is filled by a producer 3 steps ahead in 4 slots, expected as many: it fills what is empty}}
  tile.stream %i slots 4 ahead 3 empty %empty fills {
  ^bb0(%k: index, %slot: index):
    tile.next
  } uses {
  ^bb0(%k: index, %slot: index):
    tile.next
  }
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @chunk() {
  %ring, %i, %acc = "any.values"() : () -> (memref<4x64x64xbf16, #s>, index, tensor<64x64xf32, #sums>)
  // expected-error @below {{'tile.dot_async' op multiplies 'memref<4x64x64xbf16, #tile.shared<8, 1, 8>>' without a slot, expected the number of one}}
  %r = tile.dot_async %ring, transpose %ring[%i], %acc {instruction = "Wgmma64x64x16"} : memref<4x64x64xbf16, #s>, memref<4x64x64xbf16, #s>, tensor<64x64xf32, #sums>
}

// -----

tile.program @alone() {
  %i = "any.values"() : () -> (index)
  // expected-error @below {{'tile.stream' op has slots in turn and no producer, expected 'empty'}}
  tile.stream %i slots 4 ahead 3 in_turn fills {
  ^bb0(%k: index, %slot: index):
    tile.next
  } uses {
  ^bb0(%k: index, %slot: index):
    tile.next
  }
}

// -----

#whole = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#half = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
tile.program @part() {
  %empty, %i, %t = "any.values"() : () -> (!tile.empty, index, tensor<64x64xf32, #whole>)
  // expected-error @below {{'tile.stream' op has slots in turn, and 'tile.part' needs to know its slot when compiling}}
  tile.stream %i slots 4 ahead 4 empty %empty in_turn fills {
  ^bb0(%k: index, %slot: index):
    tile.next
  } uses {
  ^bb0(%k: index, %slot: index):
    %half = tile.part %t[%slot] of 2 : tensor<64x64xf32, #whole> -> tensor<64x32xf32, #half>
    tile.next
  }
}

// -----

tile.program @none() {
  // expected-error @below {{'tile.empty' op has 0 slots, expected at least 1}}
  %e = tile.empty slots 0
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @chunk() {
  %a, %ring, %i, %acc = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<4x64x64xbf16, #s>, index, tensor<64x64xf32, #sums>)
  // expected-error @below {{of a slot, expected a tile in registers alone}}
  %r = tile.dot_async %a[%i], transpose %ring[%i], %acc {instruction = "Wgmma64x64x16"} : tensor<64x64xbf16, #sums>, memref<4x64x64xbf16, #s>, tensor<64x64xf32, #sums>
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @chunk() {
  %a, %ring, %i, %acc = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<4x64x64xbf16, #s>, index, tensor<64x64xf32, #sums>)
  // expected-error @below {{'tile.dot_async' op promotes products of a tile in registers, expected slots in LDS}}
  %r = tile.dot_async %a, transpose %ring[%i], %acc promoted {instruction = "Wgmma64x64x16"} : tensor<64x64xbf16, #sums>, memref<4x64x64xbf16, #s>, tensor<64x64xf32, #sums>
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @chunk() {
  %ring, %i, %acc = "any.values"() : () -> (memref<4x64x64xbf16, #s>, index, tensor<64x64xf32, #sums>)
  // expected-error @below {{'tile.dot_async' op promotes products to sums that it replaces, expected one of the two}}
  %r = tile.dot_async %ring[%i], transpose %ring[%i], replaces %acc promoted {instruction = "Wgmma64x64x16"} : memref<4x64x64xbf16, #s>, memref<4x64x64xbf16, #s>, tensor<64x64xf32, #sums>
}

// -----

#s = #tile.shared<1, 1, 1>
tile.program @relay(%a: memref<8x64xbf16>, %f: memref<8x64xf32>) {
  // expected-error @below {{'tile.moves_in_bulk' op compares 'memref<8x64xbf16>' and 'memref<8x64xf32>', expected two matrices of the same elements}}
  %bulk = tile.moves_in_bulk %a, %f : memref<8x64xbf16>, memref<8x64xf32>
}

// -----

#s = #tile.shared<1, 1, 1>
tile.program @relay(%a: memref<8x64xbf16>, %f: memref<8x64xf32>) {
  %i, %buffer = "any.values"() : () -> (index, memref<2x8192xbf16, #s>)
  %full = tile.full slots 2
  // expected-error @below {{'tile.relay' op moves 'memref<8x64xbf16>' to 'memref<8x64xf32>', expected two matrices of the same elements}}
  %t = tile.relay %a -> %f[%i, %i] tile [8, 64] parts %i through %buffer full %full : memref<8x64xbf16>, memref<8x64xf32>, memref<2x8192xbf16, #s>
}

// -----

#s = #tile.shared<1, 1, 1>
tile.program @relay(%a: memref<8x64xbf16>) {
  %i, %buffer = "any.values"() : () -> (index, memref<2x8192xbf16, #s>)
  %full = tile.full slots 2
  // expected-error @below {{'tile.relay' op has 1 indices and a tile of 2 dimensions, expected those of a matrix}}
  %t = tile.relay %a -> %a[%i] tile [8, 64] parts %i through %buffer full %full : memref<8x64xbf16>, memref<8x64xbf16>, memref<2x8192xbf16, #s>
}

// -----

#s = #tile.shared<1, 1, 1>
tile.program @relay(%a: memref<8x64xbf16>) {
  %i, %buffer = "any.values"() : () -> (index, memref<2x8192xbf16, #s>)
  %full = tile.full slots 4
  // expected-error @below {{'tile.relay' op goes through 'memref<2x8192xbf16, #tile.shared<1, 1, 1>>', expected 4 slots in LDS, as many as words}}
  %t = tile.relay %a -> %a[%i, %i] tile [8, 64] parts %i through %buffer full %full : memref<8x64xbf16>, memref<8x64xbf16>, memref<2x8192xbf16, #s>
}

// -----

#s = #tile.shared<1, 1, 1>
tile.program @relay(%a: memref<8x64xbf16>) {
  %i, %buffer, %full = "any.values"() : () -> (index, memref<2x8192xbf16, #s>, !tile.full)
  // expected-error @below {{'tile.relay' op counts pieces in words that no 'tile.full' declares}}
  %t = tile.relay %a -> %a[%i, %i] tile [8, 64] parts %i through %buffer full %full : memref<8x64xbf16>, memref<8x64xbf16>, memref<2x8192xbf16, #s>
}

// -----

tile.program @tell() {
  %arrived = tile.signals [2] : <1>
  tile.kernel @k attributes {waves = 8 : i64} {
    tile.role @r {
      tile.forall (%i) in [2] {
        // expected-error @below {{'tile.tell' op stands in a kernel whose producer has no second wave, expected '#tile.producer' with two waves or more}}
        tile.tell {
          tile.signal system by wave %arrived[%i] to %i : <1>
        }
      }
    }
  }
}

// -----

tile.program @tell() {
  %arrived = tile.signals [2] : <1>
  tile.kernel @k attributes {waves = 8 : i64, producer = #tile.producer<waves = 4, registers = 24, consumers = 240>} {
    tile.role @r {
      tile.forall (%i) in [2] {
        %c = "any.condition"() : () -> i1
        scf.if %c {
          // expected-error @below {{'tile.tell' op stands in a loop or a branch, expected it among the operations of a 'tile.forall' that every task does}}
          tile.tell {
            tile.signal system by wave %arrived[%i] to %i : <1>
          }
        }
      }
    }
  }
}

// -----

tile.program @tell() {
  %arrived = tile.signals [2] : <1>
  tile.kernel @k attributes {waves = 8 : i64, producer = #tile.producer<waves = 4, registers = 24, consumers = 240>} {
    tile.role @r {
      tile.forall (%i) in [2] {
        // expected-error @below {{'tile.tell' op does more than tell, expected signals by wave and what they tell of}}
        tile.tell {
          // expected-note @below {{this does}}
          tile.signal system %arrived[%i] to %i : <1>
        }
      }
    }
  }
}

// -----

#whole = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
tile.program @quarters() {
  %t, %i = "any.values"() : () -> (tensor<64x64xf32, #whole>, index)
  // expected-error-re @below {{'tile.part' op takes one of 3 parts of 'tensor<64x64xf32, {{.*}}>', expected a power of two up to 16, and registers that halves of its dimensions part}}
  %p = tile.part %t[%i] of 3 : tensor<64x64xf32, #whole> -> tensor<64x64xf32, #whole>
}

// -----

// The last registers of a thread lie among those of others.
#mixed = #tile.layout<registers = [[0, 1], [0, 8], [0, 16], [0, 32], [8, 0]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
tile.program @mixed() {
  %t, %i = "any.values"() : () -> (tensor<64x64xf32, #mixed>, index)
  // expected-error-re @below {{'tile.part' op takes one of 2 parts of 'tensor<64x64xf32, {{.*}}>', expected a power of two up to 16, and registers that halves of its dimensions part}}
  %p = tile.part %t[%i] of 2 : tensor<64x64xf32, #mixed> -> tensor<64x64xf32, #mixed>
}

// -----

#whole = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
tile.program @other() {
  %t, %p, %i = "any.values"() : () -> (tensor<64x64xf32, #whole>, tensor<64x64xf32, #whole>, index)
  // expected-error-re @below {{'tile.with_part' op has a part 'tensor<64x64xf32, {{.*}}>', expected 'tensor<64x32xf32, {{.*}}>'}}
  %n = tile.with_part %t[%i] of 2 = %p : tensor<64x64xf32, #whole>, tensor<64x64xf32, #whole>
}

// -----

#s = #tile.shared<1, 1, 1>
tile.program @runs(%a: memref<4x64xbf16>) {
  %i, %ring, %full = "any.values"() : () -> (index, memref<4x48xbf16, #s>, !tile.full)
  // expected-error @below {{'tile.copy_async' op copies runs of 48 elements of 'memref<4x64xbf16>', expected whole parts of its last dimension, by the copy engine}}
  tile.copy_async %a[%i, %i] -> %ring[%i] full %full : memref<4x64xbf16>, memref<4x48xbf16, #s>
}

// -----

#s = #tile.shared<1, 1, 1>
tile.program @runs(%a: memref<4x64xbf16>) {
  %i, %ring = "any.values"() : () -> (index, memref<4x32xbf16, #s>)
  // expected-error @below {{'tile.copy_async' op copies runs of 32 elements of 'memref<4x64xbf16>', expected whole parts of its last dimension, by the copy engine}}
  tile.copy_async %a[%i, %i] -> %ring[%i] : memref<4x64xbf16>, memref<4x32xbf16, #s>
}

// -----

#s = #tile.shared<1, 1, 1>
tile.program @runs(%a: memref<4x64xbf16>) {
  %i, %ring, %full = "any.values"() : () -> (index, memref<4x0xbf16, #s>, !tile.full)
  // expected-error @below {{'tile.copy_async' op copies runs of 0 elements of 'memref<4x64xbf16>', expected whole parts of its last dimension, by the copy engine}}
  tile.copy_async %a[%i, %i] -> %ring[%i] full %full : memref<4x64xbf16>, memref<4x0xbf16, #s>
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @chunk() {
  %a, %ring, %i, %acc = "any.values"() : () -> (tensor<64x64xbf16, #sums>, memref<4x64x64xbf16, #s>, index, tensor<64x64xf32, #sums>)
  // expected-error @below {{'tile.dot_async' op transposes a tile in registers, expected a slot in LDS}}
  %r = tile.dot_async transpose %a, transpose %ring[%i], %acc {instruction = "Wgmma64x64x16"} : tensor<64x64xbf16, #sums>, memref<4x64x64xbf16, #s>, tensor<64x64xf32, #sums>
}

// -----

#p = #tile.shared<8, 1, 8 panel 64>
tile.program @columns<%M, %N>(%a: memref<?x?xbf16>) extents [%a: %M, %N] {
  %i, %ring, %full = "any.values"() : () -> (index, memref<4x64x256xbf16, #p>, !tile.full)
  // expected-error @below {{'tile.copy_async' op has 192 columns for slots of 256 in panels of 64, expected as many as end in the last panel, of a copy 'by_rows' by the copy engine}}
  tile.copy_async %a[%i, %i] columns 192 by_rows -> %ring[%i] full %full : memref<?x?xbf16>, memref<4x64x256xbf16, #p>
}

// -----

#p = #tile.shared<8, 1, 8 panel 64>
tile.program @columns<%M, %N>(%a: memref<?x?xbf16>) extents [%a: %M, %N] {
  %i, %ring = "any.values"() : () -> (index, memref<4x64x256xbf16, #p>)
  // expected-error @below {{'tile.copy_async' op has 224 columns for slots of 256 in panels of 64, expected as many as end in the last panel, of a copy 'by_rows' by the copy engine}}
  tile.copy_async %a[%i, %i] columns 224 by_rows -> %ring[%i] : memref<?x?xbf16>, memref<4x64x256xbf16, #p>
}

// -----

#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
#p = #tile.shared<8, 1, 8 panel 64>
tile.program @panels() {
  %left, %right, %i, %acc = "any.values"() : () -> (memref<4x64x64xbf16, #s>, memref<4x64x128xbf16, #p>, index, tensor<64x64xf32, #sums>)
  // Of 64 columns a slot of 128 has a panel too many.
  // expected-error @below {{expected shapes that agree}}
  %next = tile.dot_async %left[%i], %right[%i], %acc {instruction = "Wgmma64x64x16"} : memref<4x64x64xbf16, #s>, memref<4x64x128xbf16, #p>, tensor<64x64xf32, #sums>
}
