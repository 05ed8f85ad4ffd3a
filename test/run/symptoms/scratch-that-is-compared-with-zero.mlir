// What nobody wrote is compared with 0, as of a slot that is empty: oracles whose scratch held other numbers than 0 agreed, and the results were called right.
// RUN: not tilec run %s --world 1 --extent M=70 --launches 2 > %t 2>&1
// RUN: FileCheck %s < %t
// CHECK: warning: undetermined: nobody writes %x[
tile.program @ueq<%M>(%ids: memref<?xi32>, %a: memref<?xi32>, %c: memref<?xi32>) extents [%ids: %M] [%a: %M] [%c: %M] indices [%ids: 2 * %M distinct] {
  %x = tile.alloc [%M] : memref<?xi32>
  tile.forall (%m) in [%M ceildiv 32] {
    %m1 = arith.constant -1 : i32
    %i = tile.load %ids[%m] tile [32] else %m1 : i32 : memref<?xi32> -> tensor<32xi32>
    %t = tile.load %a[%m] tile [32] : memref<?xi32> -> tensor<32xi32>
    tile.scatter %t, %x[each %i] : tensor<32xi32>, memref<?xi32>, tensor<32xi32>
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %t = tile.load %x[%m] tile [32] : memref<?xi32> -> tensor<32xi32>
    %k = tile.splat 0 [32] : tensor<32xi32>
    %b = arith.cmpi eq, %t, %k : tensor<32xi32>
    %o = tile.splat 1 [32] : tensor<32xi32>
    %u = arith.select %b, %o, %k : tensor<32xi1>, tensor<32xi32>
    tile.store %u, %c[%m] : tensor<32xi32>, memref<?xi32>
  }
}
