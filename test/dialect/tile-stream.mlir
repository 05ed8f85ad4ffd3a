// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix | tilec-opt --mlir-use-nameloc-as-prefix --keep-names | FileCheck %s

// A loop over K whose slots a copy engine fills, and whose operands are multiplied where they lie.
#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @stream<%M, %K>(%a: memref<?x?xbf16>, %c: memref<?x64xf32>) extents [%a: %M, %K] [%c: %M, 64] {
  %zero = arith.constant 0 : index
  %count = tile.extent [%K ceildiv 64]
  tile.kernel @stream attributes {waves = 4} {
    tile.role @multiply {
      tile.forall (%m) in [%M ceildiv 64] {
        // CHECK: %full = tile.full slots 4
        %full = tile.full slots 4
        // CHECK: %other = tile.full slots 2 offset 96
        %other = tile.full slots 2 offset 96
        %ring = tile.shared_buffer : memref<4x64x64xbf16, #s>
        %acc = tile.splat 0.0 [64, 64] : tensor<64x64xf32, #sums>
        // CHECK: tile.fence_async
        tile.fence_async
        tile.barrier
        // CHECK: %sum = tile.stream %count slots 4 ahead 3 carries(%acc : tensor<64x64xf32, {{.*}}>) fills {
        // CHECK-NEXT: ^bb0(%k: index, %slot: index):
        %sum = tile.stream %count slots 4 ahead 3 carries(%acc : tensor<64x64xf32, #sums>) fills {
        ^bb0(%k: index, %slot: index):
          // CHECK: tile.copy_async %a[%m, %k] -> %ring[%slot] full %full : memref<?x?xbf16>, memref<4x64x64xbf16, #tile.shared<8, 1, 8>>
          tile.copy_async %a[%m, %k] -> %ring[%slot] full %full : memref<?x?xbf16>, memref<4x64x64xbf16, #s>
          // CHECK-NEXT: tile.copy_async %a[%m, %k] read_once -> %ring[%slot] full %full : memref<?x?xbf16>, memref<4x64x64xbf16, #tile.shared<8, 1, 8>>
          tile.copy_async %a[%m, %k] read_once -> %ring[%slot] full %full : memref<?x?xbf16>, memref<4x64x64xbf16, #s>
          tile.next
        // CHECK: } uses {
        // CHECK-NEXT: ^bb0(%k: index, %slot: index, %before: tensor<64x64xf32, {{.*}}>):
        } uses {
        ^bb0(%k: index, %slot: index, %before: tensor<64x64xf32, #sums>):
          // CHECK: tile.await_full %full[%slot]
          tile.await_full %full[%slot]
          // CHECK: %next = tile.dot_async %ring[%slot], transpose %ring[%slot], %before {instruction = "Wgmma64x64x16"} : memref<4x64x64xbf16, {{.*}}>, memref<4x64x64xbf16, {{.*}}>, tensor<64x64xf32, {{.*}}>
          %next = tile.dot_async %ring[%slot], transpose %ring[%slot], %before {instruction = "Wgmma64x64x16"} : memref<4x64x64xbf16, #s>, memref<4x64x64xbf16, #s>, tensor<64x64xf32, #sums>
          // CHECK: %left = tile.await_products %next left 1 : tensor<64x64xf32, {{.*}}>
          %left = tile.await_products %next left 1 : tensor<64x64xf32, #sums>
          tile.meet
          tile.next %left : tensor<64x64xf32, #sums>
        }
        // CHECK: %done = tile.await_products %sum left 0 : tensor<64x64xf32, {{.*}}>
        %done = tile.await_products %sum left 0 : tensor<64x64xf32, #sums>
        tile.store %done, %c[%m, %zero] : tensor<64x64xf32, #sums>, memref<?x64xf32>
      }
    }
  }
}

// A loop over the rows of one of several matrices, in panels as wide as the engine copies; the left operand is in registers.
#p = #tile.shared<8, 1, 8 panel 64>
tile.program @rows<%H, %T>(%k: memref<?x?x128xbf16>, %o: memref<?x64xf32>) extents [%k: %H, %T, 128] [%o: %T, 64] {
  %zero = arith.constant 0 : index
  %count = tile.extent [%T ceildiv 64]
  tile.kernel @rows attributes {waves = 4} {
    tile.role @multiply {
      tile.forall (%h) in [%H] {
        %full = tile.full slots 2
        // CHECK: memref<2x64x128xbf16, #tile.shared<8, 1, 8 panel 64>>
        %ring = tile.shared_buffer : memref<2x64x128xbf16, #p>
        %queries = tile.splat 1.0 [64, 128] : tensor<64x128xbf16, #sums>
        %none = tile.splat 0.0 [64, 64] : tensor<64x64xf32, #sums>
        %sum = tile.stream %count slots 2 ahead 1 carries(%none : tensor<64x64xf32, #sums>) fills {
        ^bb0(%n: index, %slot: index):
          // CHECK: tile.copy_async %k[%h, %n, %zero] by_rows -> %ring[%slot] full %full : memref<?x?x128xbf16>, memref<2x64x128xbf16, {{.*}}>
          tile.copy_async %k[%h, %n, %zero] by_rows -> %ring[%slot] full %full : memref<?x?x128xbf16>, memref<2x64x128xbf16, #p>
          tile.next
        } uses {
        ^bb0(%n: index, %slot: index, %before: tensor<64x64xf32, #sums>):
          tile.await_full %full[%slot]
          // CHECK: tile.dot_async %queries, transpose %ring[%slot], %before {instruction = "Wgmma64x64x16"} : tensor<64x128xbf16, {{.*}}>, memref<2x64x128xbf16, {{.*}}>, tensor<64x64xf32, {{.*}}>
          %next = tile.dot_async %queries, transpose %ring[%slot], %before {instruction = "Wgmma64x64x16"} : tensor<64x128xbf16, #sums>, memref<2x64x128xbf16, #p>, tensor<64x64xf32, #sums>
          %done = tile.await_products %next left 0 : tensor<64x64xf32, #sums>
          tile.meet
          tile.next %done : tensor<64x64xf32, #sums>
        }
      }
    }
  }
}

#r = #tile.shared<1, 1, 1>
// CHECK-LABEL: tile.program @relay
tile.program @relay<%M>(%a: memref<?x64xbf16>, %b: memref<?x64xbf16, #tile.symmetric>) world 2 extents [%a: %M, 64] [%b: %M, 64] {
  %arrived = tile.signals [2] : <1>
  %rank = tile.rank
  tile.kernel @relay attributes {waves = 4, producer = #tile.producer<waves = 4, registers = 0, consumers = 0>} {
    tile.role @send {
      tile.forall (%peer, %i) in [W, %M ceildiv 64] {
        %full = tile.full slots 2
        %through = tile.shared_buffer kept : memref<2x8192xbf16, #r>
        %zero = arith.constant 0 : index
        %one = arith.constant 1 : index
        // CHECK: %bulk = tile.moves_in_bulk %a, %b : memref<?x64xbf16>, memref<?x64xbf16, #tile.symmetric>
        %bulk = tile.moves_in_bulk %a, %b : memref<?x64xbf16>, memref<?x64xbf16, #tile.symmetric>
        // CHECK: tile.by_producer when %bulk {
        tile.by_producer when %bulk {
          // CHECK: %[[MOVED:.*]] = tile.relay %a -> %b[%i, %zero] tile [64, 64] parts %one to %peer through %through full %full : memref<?x64xbf16>, memref<?x64xbf16, #tile.symmetric>, memref<2x8192xbf16, {{.*}}>
          %moved = tile.relay %a -> %b[%i, %zero] tile [64, 64] parts %one to %peer through %through full %full : memref<?x64xbf16>, memref<?x64xbf16, #tile.symmetric>, memref<2x8192xbf16, #r>
          // CHECK: tile.signal system by wave %arrived[%rank] to %peer publishes %[[MOVED]]
          tile.signal system by wave %arrived[%rank] to %peer publishes %moved : <1>
        }
      }
    }
  }
}

// What a wave of the producer tells others, while those who did the task go on.
tile.program @tell() {
  %arrived = tile.signals [2] : <1>
  // CHECK: tile.kernel @tell attributes {producer = #tile.producer<waves = 4, registers = 24, consumers = 240>, waves = 8 : i64}
  tile.kernel @tell attributes {waves = 8 : i64, producer = #tile.producer<waves = 4, registers = 24, consumers = 240>} {
    tile.role @r {
      tile.forall (%i) in [2] {
        // CHECK: %has_next = tile.has_next
        %has_next = tile.has_next
        // CHECK-NEXT: tile.tell {
        // CHECK-NEXT: tile.signal system by wave %arrived[%i] to %i : <1>
        // CHECK-NEXT: }
        tile.tell {
          tile.signal system by wave %arrived[%i] to %i : <1>
        }
      }
    }
  }
}

// Runs of elements, through the slots of another ring, and parts of a tile's registers.
#whole = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#half = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
tile.program @runs(%parts: memref<?x8192xbf16>) extents [%parts: 4, 8192] {
  tile.kernel @runs attributes {waves = 4} {
    tile.role @add {
      tile.forall (%m) in [4] {
        %full = tile.full slots 4
        %ring = tile.shared_buffer kept : memref<4x64x64xbf16, #s>
        // CHECK: %runs = tile.shared_buffer over %ring : memref<4x64x64xbf16, #tile.shared<8, 1, 8>> : memref<4x4096xbf16, #tile.shared<1, 1, 1>>
        %runs = tile.shared_buffer over %ring : memref<4x64x64xbf16, #s> : memref<4x4096xbf16, #tile.shared<1, 1, 1>>
        // CHECK: tile.copy_async %parts[%m, %m] -> %runs[%m] full %full : memref<?x8192xbf16>, memref<4x4096xbf16, #tile.shared<1, 1, 1>>
        tile.copy_async %parts[%m, %m] -> %runs[%m] full %full : memref<?x8192xbf16>, memref<4x4096xbf16, #tile.shared<1, 1, 1>>
        %sums = tile.splat 0.0 [64, 64] : tensor<64x64xf32, #whole>
        // CHECK: %part = tile.part %sums[%m] of 2 : tensor<64x64xf32, {{.*}}> -> tensor<64x32xf32, {{.*}}>
        %part = tile.part %sums[%m] of 2 : tensor<64x64xf32, #whole> -> tensor<64x32xf32, #half>
        // CHECK: %next = tile.with_part %sums[%m] of 2 = %part : tensor<64x64xf32, {{.*}}>, tensor<64x32xf32, {{.*}}>
        %next = tile.with_part %sums[%m] of 2 = %part : tensor<64x64xf32, #whole>, tensor<64x32xf32, #half>
      }
    }
  }
}
