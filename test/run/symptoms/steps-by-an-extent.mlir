// RUN: tilec verify %s --world 2 | FileCheck %s
// RUN: tilec run %s --world 2 --pattern bulk --launches 4 --extents-from 1,7,40
// RUN: not tilec verify %s --world 2 --pattern specialized-push 2>&1 | FileCheck %s --check-prefix=REFUSED

// A view that steps by an extent: patterns with waits for tiles refuse it, where they waited for too few. Extents of 0,
// which the checker tries, crashed it.
// CHECK: verified on 2 ranks {{.*}}refused with M=0
// REFUSED: steps-by-an-extent.mlir:[[#@LINE+12]]:{{[0-9]+}}: error: accesses a view whose step is no literal, for which this pattern has no waits; expected a literal, or pattern 'bulk'
// REFUSED: note: the same buffer is accessed here
tile.program @ds<%M>(%a: memref<?xf32>, %c: memref<16xf32>) extents [%a: %M * 16] [%c: 16] {
  %s = tile.alloc [%M * 16] : memref<?xf32>
  %c0 = arith.constant 0 : index
  tile.forall (%m) in [%M] {
    %t = tile.load %a[%m] tile [16] : memref<?xf32> -> tensor<16xf32>
    tile.store %t, %s[%m] : tensor<16xf32>, memref<?xf32>
  }
  tile.forall (%m) in [1] {
    %st = tile.extent [%M]
    %v = memref.subview %s[0] [16] [%st] : memref<?xf32> to memref<16xf32, strided<[?]>>
    %t = tile.load %v[%c0] tile [16] : memref<16xf32, strided<[?]>> -> tensor<16xf32>
    tile.store %t, %c[%c0] : tensor<16xf32>, memref<16xf32>
  }
}
