// RUN: tilec-opt %s --keep-names --mlir-use-nameloc-as-prefix | tilec-opt --mlir-use-nameloc-as-prefix --keep-names | FileCheck %s

// A loop over K whose operands are fetched ahead of their products.
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
#sums = #tile.layout<registers = [[0, 1], [0, 2]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], waves = []>
#s = #tile.shared<8, 2, 4>
tile.program @ring<%M, %K>(%a: memref<?x?xbf16, #tile.symmetric>, %c: memref<?x16xf32>) extents [%a: %M, %K] [%c: %M, 16] {
  %rank = tile.rank
  %zero = arith.constant 0 : index
  %count = tile.extent [%K ceildiv 32]
  tile.kernel @ring attributes {waves = 1} {
    tile.role @multiply {
      tile.forall (%m) in [%M ceildiv 16] {
        // CHECK: %regular = tile.regular %a[%m, %zero] tile [16, 32] vector 8 : memref<?x?xbf16, #tile.symmetric>
        %regular = tile.regular %a[%m, %zero] tile [16, 32] vector 8 : memref<?x?xbf16, #tile.symmetric>
        // CHECK: %theirs = tile.regular %a[%m, %zero] tile [16, 32] vector 8 from %rank :
        %theirs = tile.regular %a[%m, %zero] tile [16, 32] vector 8 from %rank : memref<?x?xbf16, #tile.symmetric>
        // CHECK: %turned = tile.regular %a[%zero, %m] tile [32, 16] vector 8 across from %rank :
        %turned = tile.regular %a[%zero, %m] tile [32, 16] vector 8 across from %rank : memref<?x?xbf16, #tile.symmetric>
        // CHECK: %down = tile.fetch %a[%zero, %m] across from %rank : memref<?x?xbf16, #tile.symmetric> -> tensor<16x32xbf16, #layout
        %down = tile.fetch %a[%zero, %m] across from %rank : memref<?x?xbf16, #tile.symmetric> -> tensor<16x32xbf16, #rows>
        %lds = tile.shared_buffer : memref<2x16x32xbf16, #s>
        %token = tile.join()
        // CHECK: %rows_regular = tile.regular %a[%zero, %m] tile [16, 32] vector 8 by_rows :
        %rows_regular = tile.regular %a[%zero, %m] tile [16, 32] vector 8 by_rows : memref<?x?xbf16, #tile.symmetric>
        // CHECK: %row = tile.fetch %a[%zero, %m] by_rows from %rank after %token :
        %row = tile.fetch %a[%zero, %m] by_rows from %rank after %token : memref<?x?xbf16, #tile.symmetric> -> tensor<16x32xbf16, #rows>
        // CHECK: %t = tile.fetch %a[%m, %zero] from %rank after %token : memref<?x?xbf16, #tile.symmetric> -> tensor<16x32xbf16, #layout
        %t = tile.fetch %a[%m, %zero] from %rank after %token : memref<?x?xbf16, #tile.symmetric> -> tensor<16x32xbf16, #rows>
        %first = tile.shared_load %lds[%zero] : memref<2x16x32xbf16, #s> -> tensor<16x32xbf16, #rows>
        %acc = tile.splat 0.0 [16, 16] : tensor<16x16xf32, #sums>
        // CHECK: %loop:3 = tile.steps %count slots 2 carries(%acc, %first, %t : tensor<16x16xf32, {{.*}}>, tensor<16x32xbf16, {{.*}}>, tensor<16x32xbf16, {{.*}}>) {
        %loop:3 = tile.steps %count slots 2 carries(%acc, %first, %t : tensor<16x16xf32, #sums>, tensor<16x32xbf16, #rows>, tensor<16x32xbf16, #rows>) {
        // CHECK-NEXT: ^bb0(%k: index, %slot: index, %sum: tensor<16x16xf32, {{.*}}>, %part: tensor<16x32xbf16, {{.*}}>, %ahead: tensor<16x32xbf16, {{.*}}>):
        ^bb0(%k: index, %slot: index, %sum: tensor<16x16xf32, #sums>, %part: tensor<16x32xbf16, #rows>, %ahead: tensor<16x32xbf16, #rows>):
          tile.barrier
          // CHECK: %done:3 = tile.places -> tensor<16x16xf32, {{.*}}>, tensor<16x32xbf16, {{.*}}>, tensor<16x32xbf16, {{.*}}> {
          %done:3 = tile.places -> tensor<16x16xf32, #sums>, tensor<16x32xbf16, #rows>, tensor<16x32xbf16, #rows> {
            %product = tile.dot %part, transpose %part, %sum {instruction = "Mfma16x16x16"} : tensor<16x32xbf16, #rows>, tensor<16x32xbf16, #rows>, tensor<16x16xf32, #sums>
            %read = tile.shared_load %lds[%slot] : memref<2x16x32xbf16, #s> -> tensor<16x32xbf16, #rows>
            tile.shared_store %ahead, %lds[%slot] : tensor<16x32xbf16, #rows>, memref<2x16x32xbf16, #s>
            %more = tile.fetch %a[%m, %k] : memref<?x?xbf16, #tile.symmetric> -> tensor<16x32xbf16, #rows>
            // CHECK: tile.placed %product, %read, %more : tensor<16x16xf32,
            tile.placed %product, %read, %more : tensor<16x16xf32, #sums>, tensor<16x32xbf16, #rows>, tensor<16x32xbf16, #rows>
          }
          // CHECK: tile.next %done#0, %done#1, %done#2 : tensor<16x16xf32,
          tile.next %done#0, %done#1, %done#2 : tensor<16x16xf32, #sums>, tensor<16x32xbf16, #rows>, tensor<16x32xbf16, #rows>
        }
        // CHECK: tile.copy_async %a[%m, %zero] from %rank -> %lds[%zero] after %token : memref<?x?xbf16, #tile.symmetric>, memref<2x16x32xbf16, #tile.shared<8, 2, 4>>
        tile.copy_async %a[%m, %zero] from %rank -> %lds[%zero] after %token : memref<?x?xbf16, #tile.symmetric>, memref<2x16x32xbf16, #s>
        // CHECK-NEXT: tile.copy_async %a[%m, %zero] -> %lds[%zero] :
        tile.copy_async %a[%m, %zero] -> %lds[%zero] : memref<?x?xbf16, #tile.symmetric>, memref<2x16x32xbf16, #s>
        // CHECK-NEXT: tile.await left 1
        tile.await left 1
        // CHECK-NEXT: tile.await{{$}}
        tile.await
        // CHECK-NEXT: tile.meet
        tile.meet
        // CHECK: tile.steps %count slots 4 {
        tile.steps %count slots 4 {
        ^bb0(%k: index, %slot: index):
          // CHECK: tile.places {
          // CHECK-NEXT: tile.placed{{$}}
          tile.places {
            tile.placed
          }
          tile.next
        }
      }
    }
  }
}
