// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=4 parameters=BM=32}))' | FileCheck %s

// W and the parameter become numbers; tiles become static; the choice is recorded.
// CHECK-LABEL: tile.program @world_and_parameter<%{{.*}}>
// CHECK-SAME: world 4 extents [%{{.*}}: %{{.*}} * 4, 256] [%{{.*}}: %{{.*}} * 4, 256]
// CHECK-SAME: parameters = {BM = 32 : i64}
// CHECK-NOT: tile.param
// CHECK: tile.forall (%{{.*}}, %{{.*}}) over %{{.*}} tiles [32, 64]
// CHECK: tile.load %{{.*}} tile [32, 64] : memref<?x256xf32> -> tensor<32x64xf32>
tile.program @world_and_parameter<%M>(%a: memref<?x256xf32>, %b: memref<?x256xf32>)
    extents [%a: W * %M, 256] [%b: W * %M, 256] {
  tile.param @BM in [32, 64]
  tile.forall (%m, %n) over %b tiles [@BM, 64] : memref<?x256xf32> {
    %t = tile.load %a[%m, %n] tile [@BM, 64] : memref<?x256xf32> -> tensor<?x64xf32>
    tile.store %t, %b[%m, %n] : tensor<?x64xf32>, memref<?x256xf32>
  }
}

// A loop of one iteration is none, and what it loaded is what the loop behind it loads. One that multiplies stays, and so
// does one that runs twice.
// CHECK-LABEL: tile.program @single_iterations
// CHECK: %[[T:.*]] = tile.load
// CHECK-NEXT: %[[S:.*]] = tile.reduce add %[[T]]
// CHECK-NEXT: arith.addf %{{.*}}, %[[S]]
// CHECK: scf.for
// CHECK: tile.store
// CHECK: scf.for
// CHECK: tile.dot
tile.program @single_iterations<%M, %N>(%a: memref<?x?xf32>, %b: memref<?xf32>, %c: memref<32x32xf32>)
    extents [%a: %M, 64] [%b: %M] {
  tile.param @BM in [32, 64]
  tile.forall (%m) in [%M ceildiv @BM] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = tile.extent [64 ceildiv 64]
    %two = tile.extent [64 ceildiv @BM]
    %none = tile.splat 0.0 [@BM] : tensor<?xf32>
    %sum = scf.for %n = %c0 to %one step %c1 iter_args(%s = %none) -> tensor<?xf32> {
      %t = tile.load %a[%m, %n] tile [@BM, 64] : memref<?x?xf32> -> tensor<?x64xf32>
      %part = tile.reduce add %t dim 1 : tensor<?x64xf32> -> tensor<?xf32>
      %next = arith.addf %s, %part : tensor<?xf32>
      scf.yield %next : tensor<?xf32>
    }
    scf.for %n = %c0 to %two step %c1 {
      tile.store %sum, %b[%m] : tensor<?xf32>, memref<?xf32>
    }
    %zero = tile.splat 0.0 [32, 32] : tensor<32x32xf32>
    %product = scf.for %k = %c0 to %one step %c1 iter_args(%s = %zero) -> tensor<32x32xf32> {
      %t = tile.load %c[%k, %k] tile [32, 32] : memref<32x32xf32> -> tensor<32x32xf32>
      %next = tile.dot %t, transpose %t, %s : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
      scf.yield %next : tensor<32x32xf32>
    }
  }
}

// A loop over ranks says who is addressed, for one rank too: that all of them are.
// CHECK-LABEL: tile.program @ranks
// CHECK: scf.for
// CHECK: tile.load %{{.*}} from
tile.program @ranks<%M>(%a: memref<?x64xf32, #tile.symmetric>, %b: memref<?x64xf32>) extents [%a: %M, 64] [%b: %M, 64] {
  tile.param @BM in [32, 64]
  %one = tile.extent [W ceildiv 4]
  tile.forall (%m) in [%M ceildiv @BM] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %r = %c0 to %one step %c1 {
      %t = tile.load %a[%m, %c0] tile [@BM, 64] from %r : memref<?x64xf32, #tile.symmetric> -> tensor<?x64xf32>
      tile.store %t, %b[%m, %c0] : tensor<?x64xf32>, memref<?x64xf32>
    }
  }
}
