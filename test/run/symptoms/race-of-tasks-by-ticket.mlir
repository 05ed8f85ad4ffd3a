// Tasks by ticket: the first workgroup drew all of them before another had a turn, and the race was found with --shuffle alone.
// RUN: tilec %s --no-verify --emit=hip | FileCheck %s --check-prefix=TEXT
// TEXT: tilec::next(launch, 0)
// RUN: not tilec run %s --no-verify --race --extents-from 1000 | FileCheck %s
// RUN: not tilec run %s --no-verify --race --extents-from 1000 --target sm_90a | FileCheck %s
// CHECK: race: {{[0-9]+}} bytes of %x, element {{[0-9]+}}, of rank 0
// CHECK-NEXT: first: write by workgroup
// CHECK-NEXT: second: write by workgroup
tile.program @tickets<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 1 extents [%a: %M] [%b: %M] {
  %x = tile.alloc [64] : memref<?xf32>
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [%M ceildiv 64] {
        %zero = arith.constant 0 : index
        %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
        tile.store %t, %x[%zero] : tensor<64xf32>, memref<?xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
      }
    }
  }
}
