// RUN: tilec-opt %s | FileCheck %s

// Relations that conditions state, and those that ask for none.
// CHECK-LABEL: @equal_by_a_condition
tile.program @equal_by_a_condition<%M, %N, %K, %R>(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %R, %K] where %K == %N, %R == %M {
  tile.matmul %a, %b into %c : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
}

// CHECK-LABEL: @divided_by_a_condition
tile.program @divided_by_a_condition<%M, %P>(%a: memref<?x64xf32, #tile.symmetric>, %b: memref<?x64xf32>, %c: memref<?x64xf32>)
    extents [%a: %M, 64] [%b: %M floordiv W, 64] [%c: %P, 64] where %M mod W == 0, %M == W * %P {
  tile.reduce_scatter %a into %b dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32>
  tile.reduce_scatter %a into %c dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32>
}

// A tile reads zero beside its view: the condition says that this is meant.
// CHECK-LABEL: @shorter_by_a_condition
tile.program @shorter_by_a_condition<%N, %K>(%a: memref<?xf32>, %c: memref<?xf32>) extents [%a: %K] [%c: %N] where %K <= %N {
  tile.forall (%n) over %c tiles [32] : memref<?xf32> {
    %x = tile.load %a[%n] tile [32] : memref<?xf32> -> tensor<32xf32>
    tile.store %x, %c[%n] : tensor<32xf32>, memref<?xf32>
  }
}

// CHECK-LABEL: @parts_in_place
tile.program @parts_in_place<%M>(%a: memref<?x64xf32, #tile.symmetric>) extents [%a: W * %M, 64] {
  %rank = tile.rank
  %at = arith.muli %rank, %M : index
  %mine = memref.subview %a[%at, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  tile.all_gather %mine into %a dim 0 : memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.reduce_scatter %a into %mine dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  tile.all_to_all %a into %a dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.all_reduce %a into %a : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}
