// RUN: for t in $(%some gfx942 sm_90a gfx950); do tilec run %s --world 2 --target $t --extent N=0,M=40 --launches 2 || exit 1; done
// RUN: tilec run %examples/16_moe/moe.mlir --world 1 --extent N=20,T=3,E=0,C=9,R=30,D=64,F=64
// Buffers that have no elements with the extents that a program is compiled for lay at one place, and an access to one was taken for one to the
// other: `has strides that are not those of the buffer that it views`.
tile.program @empty<%N, %M>(%x: memref<?x?x?xf32>, %y: memref<?x?xf32>) extents [%x: %N, %M, 64] [%y: %M, 64] {
  %line = tile.alloc [%N] : memref<?xf32>
  %cube = tile.alloc [%N, %M, 64] : memref<?x?x64xf32>
  tile.forall (%n) in [%N] {
    %one = tile.splat 1.0 [1] : tensor<1xf32>
    tile.store %one, %line[%n] : tensor<1xf32>, memref<?xf32>
  }
  tile.forall (%n, %m) in [%N, %M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%n, %m, %c0] tile [32, 64] : memref<?x?x?xf32> -> tensor<32x64xf32>
    tile.store %t, %cube[%n, %m, %c0] : tensor<32x64xf32>, memref<?x?x64xf32>
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = tile.splat 0.0 [32, 64] : tensor<32x64xf32>
    %sum = scf.for %n = %c0 to %N step %c1 iter_args(%s = %zero) -> tensor<32x64xf32> {
      %t = tile.load %cube[%n, %m, %c0] tile [32, 64] : memref<?x?x64xf32> -> tensor<32x64xf32>
      %l = tile.load %line[%n] tile [1] : memref<?xf32> -> tensor<1xf32>
      %next = arith.addf %s, %t : tensor<32x64xf32>
      scf.yield %next : tensor<32x64xf32>
    }
    tile.store %sum, %y[%m, %c0] : tensor<32x64xf32>, memref<?x?xf32>
  }
}
