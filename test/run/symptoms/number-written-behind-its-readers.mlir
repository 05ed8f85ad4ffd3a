// RUN: split-file %s %t
// RUN: tilec run %t/here.mlir --world 1 --pattern sequential --target sm_90a --race --memory weak --shuffle --launches 3 --extent M=1500,N=100,K=64
// RUN: for p in $(%some sequential-push specialized-push); do tilec run %t/beside.mlir --world 2 --pattern $p --target sm_90a --race --memory weak --shuffle --launches 3 --extent M=700,N=130,K=128 || exit 1; done
// RUN: for p in here beside; do tilec %t/$p.mlir --world 2 --pattern sequential-push --target sm_90a --emit=hip | FileCheck %s || exit 1; done
// A later statement of the same kernel, here or on a peer, overwrites the numbers that steered the tasks before. These had a producer, of whose
// waves one raised the signal while others had not read the number yet: the race check found it, verify did not.
// CHECK: tilec::number(
// CHECK-NOT: role.produces

//--- here.mlir
tile.program @here<%M, %N, %K>(%some: memref<?xi32>, %a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>, %counts: memref<?xi32>)
    extents [%some: %M ceildiv 128] [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] [%counts: %M ceildiv 128] indices [%some: %K ceildiv 64] [%counts: %K ceildiv 64] {
  tile.forall (%m, %n) in [%M ceildiv 128, %N ceildiv 128] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %most = tile.extent [%K ceildiv 64]
    %steps = tile.read %counts[%m] upto %most : memref<?xi32>
    %zero = tile.splat 0.0 [128, 128] : tensor<128x128xf32>
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%s = %zero) -> tensor<128x128xf32> {
      %x = tile.load %a[%m, %k] tile [128, 64] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] tile [128, 64] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %next = tile.dot %x, transpose %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %out, %c[%m, %n] : tensor<128x128xbf16>, memref<?x?xbf16>
  }
  tile.forall (%m) in [%M ceildiv 128] {
    %t = tile.load %some[%m] tile [1] : memref<?xi32> -> tensor<1xi32>
    tile.store %t, %counts[%m] : tensor<1xi32>, memref<?xi32>
  }
}

//--- beside.mlir
tile.program @beside<%M, %N, %K>(%some: memref<?xi32>, %a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>, %counts: memref<?xi32, #tile.symmetric>)
    extents [%some: %M ceildiv 128] [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] [%counts: %M ceildiv 128] indices [%some: %K ceildiv 64] [%counts: %K ceildiv 64] {
  %me = tile.rank
  %all = tile.extent [W]
  %one = arith.constant 1 : index
  %following = arith.addi %me, %one : index
  %next_rank = arith.remui %following, %all : index
  tile.forall (%m, %n) in [%M ceildiv 128, %N ceildiv 128] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %most = tile.extent [%K ceildiv 64]
    %steps = tile.read %counts[%m] upto %most : memref<?xi32, #tile.symmetric>
    %zero = tile.splat 0.0 [128, 128] : tensor<128x128xf32>
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%s = %zero) -> tensor<128x128xf32> {
      %x = tile.load %a[%m, %k] tile [128, 64] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] tile [128, 64] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %next = tile.dot %x, transpose %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %out, %c[%m, %n] : tensor<128x128xbf16>, memref<?x?xbf16>
  }
  tile.forall (%m) in [%M ceildiv 128] {
    %t = tile.load %some[%m] tile [1] : memref<?xi32> -> tensor<1xi32>
    tile.store %t, %counts[%m] to %next_rank : tensor<1xi32>, memref<?xi32, #tile.symmetric>
  }
}
