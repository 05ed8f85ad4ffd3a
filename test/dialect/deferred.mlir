// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix | tilec-opt --mlir-use-nameloc-as-prefix --keep-names | FileCheck %s

// A result that the next task stores, a part in each of its first steps.
#sums = #tile.layout<registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], waves = [[16, 0], [32, 0]]>
#narrow = #tile.layout<registers = [[0, 1], [0, 2], [0, 4], [8, 0], [0, 32]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], waves = [[16, 0], [32, 0]]>
#s = #tile.shared<8, 1, 8>
tile.program @deferred<%M, %K>(%a: memref<?x?xbf16>, %c: memref<?x64xbf16>) extents [%a: %M, %K] [%c: %M, 64] {
  %zero = arith.constant 0 : index
  %count = tile.extent [%K ceildiv 64]
  tile.kernel @deferred attributes {waves = 4} {
    tile.role @multiply {
      tile.forall (%m) in [%M ceildiv 64] {
        %full = tile.full slots 4
        %ring = tile.shared_buffer : memref<4x64x64xbf16, #s>
        %scratch = tile.shared_buffer : memref<64x64xbf16, #s>
        %acc = tile.splat 0.0 [64, 64] : tensor<64x64xf32, #sums>
        %sum = tile.stream %count slots 4 ahead 3 carries(%acc : tensor<64x64xf32, #sums>) fills {
        ^bb0(%k: index, %slot: index):
          tile.copy_async %a[%m, %k] -> %ring[%slot] full %full : memref<?x?xbf16>, memref<4x64x64xbf16, #s>
          tile.next
        } uses {
        ^bb0(%k: index, %slot: index, %before: tensor<64x64xf32, #sums>):
          tile.await_full %full[%slot]
          // CHECK: tile.store_deferred[%slot]
          tile.store_deferred [%slot]
          tile.next %before : tensor<64x64xf32, #sums>
        }
        // CHECK: tile.store_deferred{{$}}
        tile.store_deferred
        %out = arith.truncf %sum : tensor<64x64xf32, #sums> to tensor<64x64xbf16, #sums>
        // CHECK: tile.defer %out, %c[%m, %zero] through %scratch stored tensor<64x64xbf16, {{.*}}> : tensor<64x64xbf16, {{.*}}>, memref<?x64xbf16>, memref<64x64xbf16, #tile.shared<8, 1, 8>>
        tile.defer %out, %c[%m, %zero] through %scratch stored tensor<64x64xbf16, #rows> : tensor<64x64xbf16, #sums>, memref<?x64xbf16>, memref<64x64xbf16, #s>
      }
    }
  }
}

// Results that the copy engine stores: from the registers in which the next task finds one, and while the waves go on to the next task.
#half = #tile.shared<8, 2, 4>
tile.program @async<%M>(%c: memref<?x64xbf16>) extents [%c: %M, 64] {
  %zero = arith.constant 0 : index
  tile.kernel @async attributes {waves = 4} {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        %scratch = tile.shared_buffer kept : memref<64x64xbf16, #s>
        %out = tile.splat 1.0 [64, 64] : tensor<64x64xbf16, #sums>
        tile.store_deferred
        // CHECK: tile.defer %out, %c[%m, %zero] through %scratch stored tensor<64x64xbf16, {{.*}}> async : tensor<64x64xbf16, {{.*}}>, memref<?x64xbf16>, memref<64x64xbf16, #tile.shared<8, 1, 8>>
        tile.defer %out, %c[%m, %zero] through %scratch stored tensor<64x64xbf16, #rows> async : tensor<64x64xbf16, #sums>, memref<?x64xbf16>, memref<64x64xbf16, #s>
      }
    }
  }
}

tile.program @at_once<%M>(%c: memref<?x64xbf16>) extents [%c: %M, 64] {
  %zero = arith.constant 0 : index
  tile.kernel @at_once attributes {waves = 4} {
    tile.role @r {
      tile.forall (%m) in [%M ceildiv 64] {
        %part = tile.shared_buffer kept : memref<2x64x32xbf16, #half>
        %out = tile.splat 1.0 [64, 64] : tensor<64x64xbf16, #sums>
        // CHECK: tile.store_async %out, %c[%m, %zero] through %part stored tensor<64x64xbf16, {{.*}}> : tensor<64x64xbf16, {{.*}}>, memref<?x64xbf16>, memref<2x64x32xbf16, #tile.shared<8, 2, 4>>
        tile.store_async %out, %c[%m, %zero] through %part stored tensor<64x64xbf16, #narrow> : tensor<64x64xbf16, #sums>, memref<?x64xbf16>, memref<2x64x32xbf16, #half>
      }
    }
  }
}
