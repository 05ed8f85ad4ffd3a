// RUN: tilec verify %s --world 2 --pattern sequential-push | FileCheck %s
// RUN: tilec run %s --world 2 --pattern sequential-push --extents-from 0,9 --launches 6 --shuffle --seeds 2
// RUN: tilec %s --world 2 --pattern sequential-push -o %t && FileCheck %s --check-prefix=MANIFEST < %t/beside.json && tilec verify --manifest %t/beside.json

// A launch without tasks was left out although a role that runs first stores to %d.
// CHECK: refused with M=0
// MANIFEST: "works_without_tasks": true
tile.program @beside<%M>(%a: memref<?x32xf32>, %c: memref<?x32xf32>, %d: memref<32xi32>) extents [%a: %M, 32] [%c: W * %M, 32] {
  %s = tile.alloc [W * %M, 32] : memref<?x32xf32, #tile.symmetric>
  tile.all_gather %a into %s dim 0 : memref<?x32xf32>, memref<?x32xf32, #tile.symmetric>
  tile.forall (%m, %n) over %c tiles [16, 32] : memref<?x32xf32> {
    %x = tile.load %s[%m, %n] tile [16, 32] : memref<?x32xf32, #tile.symmetric> -> tensor<16x32xf32>
    tile.store %x, %c[%m, %n] : tensor<16x32xf32>, memref<?x32xf32>
  }
  tile.kernel @k {
    tile.role @w first {
      %z = arith.constant 0 : index
      %o = tile.splat 2 [32] : tensor<32xi32>
      tile.store %o, %d[%z] : tensor<32xi32>, memref<32xi32>
    }
  }
}
