// A number that is 0 moves the view one element below its buffer: the only rank of a world was given the greatest number alone.
// RUN: not tilec verify %s 2>&1 | FileCheck %s
// RUN: not tilec verify --world 2 %s 2>&1 | FileCheck %s --check-prefix=TWO
// CHECK: error: view reaches element 199 in dimension 0 of a buffer of size 200, in task (0) of role @copy on rank 0, with M=200/%n=0
// TWO: on rank 1, with M=200/%n=2147483647,0
tile.program @less<%M>(%n: i32, %a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  tile.forall (%i) in [1] {
    %one = arith.constant 1 : index
    %zero = arith.constant 0 : index
    %e = tile.clamp %n upto %M : i32
    %f = arith.subi %e, %one : index
    %r = arith.subi %M, %f : index
    %v = memref.subview %a[%f] [%r] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %u = tile.load %v[%zero] tile [64] : memref<?xf32, strided<[1], offset: ?>> -> tensor<64xf32>
    tile.store %u, %b[%zero] : tensor<64xf32>, memref<?xf32>
  }
}
