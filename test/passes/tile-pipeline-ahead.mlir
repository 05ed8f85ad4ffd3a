// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-partition{target=gfx942},tile-layout,tile-stage,tile-pipeline))' | FileCheck %s

// Parts that a loop merges come together: those of the first iterations before it, and each iteration loads for the fourth behind it. The last
// ones load the last part again.
// CHECK-LABEL: tile.program @merging
// CHECK: %[[P0:.*]] = tile.load %{{.*}} [%c0{{.*}}, %[[M:.*]], %c0] tile [8, 128] :
// CHECK: %[[P1:.*]] = tile.load %{{.*}} [%c1{{.*}}, %[[M]], %c0] tile [8, 128] :
// CHECK: %[[P2:.*]] = tile.load %{{.*}} [%c2{{.*}}, %[[M]], %c0] tile [8, 128] :
// CHECK: %[[P3:.*]] = tile.load %{{.*}} [%c3{{.*}}, %[[M]], %c0] tile [8, 128] :
// CHECK: %[[FOUR:c4.*]] = arith.constant 4 : index
// CHECK: %[[LAST:c4.*]] = arith.constant 4 : index
// CHECK: scf.for %[[S:.*]] = {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[A0:.*]] = %[[P0]], %[[A1:.*]] = %[[P1]], %[[A2:.*]] = %[[P2]], %[[A3:.*]] = %[[P3]])
// CHECK:   %[[LATER:.*]] = arith.addi %[[S]], %[[FOUR]]
// CHECK:   %[[NEXT:.*]] = arith.minsi %[[LATER]], %[[LAST]]
// CHECK:   %[[A4:.*]] = tile.load %{{.*}} [%[[NEXT]], %[[M]], %{{.*}}] tile [8, 128] :
// CHECK-NOT: tile.load
// CHECK:   %[[ADDED:.*]] = arith.addf %[[SUM]], %[[A0]]
// CHECK:   scf.yield %[[ADDED]], %[[A1]], %[[A2]], %[[A3]], %[[A4]]
// CHECK: } {tile.unrolled}
tile.program @merging<%M>(%a: memref<5x?x128xf32>, %c: memref<?x128xf32>) world 1 extents [%a: 5, %M, 128] [%c: %M, 128] {
  tile.kernel @merging {
    tile.role @tiles {
      tile.forall (%m) in [%M ceildiv 8] {
        %zero = tile.splat 0.0 [8, 128] : tensor<8x128xf32>
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %parts = tile.extent [5]
        %acc = scf.for %s = %c0 to %parts step %c1 iter_args(%sum = %zero) -> (tensor<8x128xf32>) {
          %part = tile.load %a[%s, %m, %c0] tile [8, 128] : memref<5x?x128xf32> -> tensor<8x128xf32>
          %next = arith.addf %sum, %part : tensor<8x128xf32>
          scf.yield %next : tensor<8x128xf32>
        }
        tile.store %acc, %c[%m, %c0] : tensor<8x128xf32>, memref<?x128xf32>
      }
    }
  }
}

// As many as registers hold: tiles of 64 x 256 are 64 registers of a lane, so that two are ahead.
// CHECK-LABEL: tile.program @large
// CHECK-COUNT-2: tile.load
// CHECK-NOT: tile.load
// CHECK: scf.for
// CHECK: tile.load
// CHECK-NOT: tile.load
tile.program @large<%M>(%a: memref<5x?x256xf32>, %c: memref<?x256xf32>) world 1 extents [%a: 5, %M, 256] [%c: %M, 256] {
  tile.kernel @large {
    tile.role @tiles {
      tile.forall (%m) in [%M ceildiv 64] {
        %low = tile.splat 0.0 [64] : tensor<64xf32>
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %parts = tile.extent [5]
        %acc = scf.for %s = %c0 to %parts step %c1 iter_args(%most = %low) -> (tensor<64xf32>) {
          %part = tile.load %a[%s, %m, %c0] tile [64, 256] : memref<5x?x256xf32> -> tensor<64x256xf32>
          %here = tile.reduce maximum %part dim 1 : tensor<64x256xf32> -> tensor<64xf32>
          %next = arith.maximumf %most, %here : tensor<64xf32>
          scf.yield %next : tensor<64xf32>
        }
        %wide = tile.broadcast %acc dims [0] tile [64, 256] : tensor<64xf32> -> tensor<64x256xf32>
        tile.store %wide, %c[%m, %c0] : tensor<64x256xf32>, memref<?x256xf32>
      }
    }
  }
}

// Loops stay as they are whose number of iterations is known at launch alone, or is more than 16, that store, that load what the iteration before says, and
// whose text would be long: nine tiles of 64 registers. Nor those that count in 32 bits, or so far that three iterations more would not.
// CHECK-LABEL: tile.program @others
// CHECK-NOT: tile.unrolled
tile.program @others<%M, %P>(%a: memref<?x?x128xf32>, %n: memref<?xi32>, %c: memref<?x128xf32>)
    world 1 extents [%a: %P, %M, 128] [%n: %P] [%c: %M, 128] {
  tile.kernel @others {
    tile.role @tiles {
      tile.forall (%m) in [%M ceildiv 8] {
        %zero = tile.splat 0.0 [8, 128] : tensor<8x128xf32>
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %parts = tile.extent [%P]
        %some = tile.extent [17]
        %few = tile.extent [3]
        %sums = scf.for %s = %c0 to %parts step %c1 iter_args(%sum = %zero) -> (tensor<8x128xf32>) {
          %part = tile.load %a[%s, %m, %c0] tile [8, 128] : memref<?x?x128xf32> -> tensor<8x128xf32>
          %next = arith.addf %sum, %part : tensor<8x128xf32>
          scf.yield %next : tensor<8x128xf32>
        }
        %more = scf.for %s = %c0 to %some step %c1 iter_args(%sum = %sums) -> (tensor<8x128xf32>) {
          %part = tile.load %a[%s, %m, %c0] tile [8, 128] : memref<?x?x128xf32> -> tensor<8x128xf32>
          %next = arith.addf %sum, %part : tensor<8x128xf32>
          scf.yield %next : tensor<8x128xf32>
        }
        scf.for %s = %c0 to %few step %c1 {
          %part = tile.load %a[%s, %m, %c0] tile [8, 128] : memref<?x?x128xf32> -> tensor<8x128xf32>
          tile.store %part, %c[%m, %c0] : tensor<8x128xf32>, memref<?x128xf32>
        }
        %at, %chained = scf.for %s = %c0 to %few step %c1 iter_args(%place = %c0, %sum = %more) -> (index, tensor<8x128xf32>) {
          %part = tile.load %a[%place, %m, %c0] tile [8, 128] : memref<?x?x128xf32> -> tensor<8x128xf32>
          %next = arith.addf %sum, %part : tensor<8x128xf32>
          %then = arith.addi %place, %s : index
          scf.yield %then, %next : index, tensor<8x128xf32>
        }
        tile.store %chained, %c[%m, %c0] : tensor<8x128xf32>, memref<?x128xf32>
        %from = arith.constant 0 : i32
        %by = arith.constant 1 : i32
        %to = arith.constant 3 : i32
        %counted = scf.for %s = %from to %to step %by iter_args(%sum = %more) -> (tensor<8x128xf32>) : i32 {
          %number = arith.index_cast %s : i32 to index
          %part = tile.load %a[%number, %m, %c0] tile [8, 128] : memref<?x?x128xf32> -> tensor<8x128xf32>
          %next = arith.addf %sum, %part : tensor<8x128xf32>
          scf.yield %next : tensor<8x128xf32>
        }
        %end = arith.constant 2100000000 : index
        %stride = arith.constant 525000000 : index
        %far = scf.for %s = %c0 to %end step %stride iter_args(%sum = %counted) -> (tensor<8x128xf32>) {
          %part = tile.load %a[%c0, %m, %c0] tile [8, 128] : memref<?x?x128xf32> -> tensor<8x128xf32>
          %next = arith.addf %sum, %part : tensor<8x128xf32>
          scf.yield %next : tensor<8x128xf32>
        }
        tile.store %far, %c[%m, %c0] : tensor<8x128xf32>, memref<?x128xf32>
        %low = tile.splat 0.0 [128] : tensor<128xf32>
        %nine = tile.extent [9]
        %wide = scf.for %s = %c0 to %nine step %c1 iter_args(%most = %low) -> (tensor<128xf32>) {
          %part = tile.load %a[%s, %m, %c0] tile [128, 128] : memref<?x?x128xf32> -> tensor<128x128xf32>
          %here = tile.reduce maximum %part dim 1 : tensor<128x128xf32> -> tensor<128xf32>
          %next = arith.maximumf %most, %here : tensor<128xf32>
          scf.yield %next : tensor<128xf32>
        }
        %rows = tile.broadcast %wide dims [0] tile [128, 128] : tensor<128xf32> -> tensor<128x128xf32>
        tile.store %rows, %c[%m, %c0] : tensor<128x128xf32>, memref<?x128xf32>
      }
    }
  }
}
