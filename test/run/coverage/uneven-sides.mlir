// RUN: tilec run %s --world 1 --extent M=150,N=250,K=90
// RUN: tilec run %s --world 1 --target gfx950 --extent M=70,N=300,K=40 --race --memory weak
// RUN: tilec run %s --world 1 --target sm_90a --extent M=150,N=250,K=90 --landing seeded --race --memory weak

// Tiles with a side that is no power of two: products of both kinds of right operands, what is done with their sums
// element by element, along rows and along columns, their transposes, and tiles of one dimension.
tile.program @uneven<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %t: memref<?x?xbf16>, %bias: memref<?xf32>, %c: memref<?x?xbf16>, %d: memref<?x?xf32>, %rows: memref<?x?xf32>, %columns: memref<?x?xf32>, %turned: memref<?x?xf32>)
    extents [%a: %M, %K] [%b: %N, %K] [%t: %K, %N] [%bias: %N] [%c: %M, %N] [%d: %M, %N]
            [%rows: %M, %N ceildiv 96] [%columns: %M ceildiv 32, %N] [%turned: %N, %M] {
  // Whatever the widths of a loop of its own: `tile.matmul` chooses the rest.
  tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 224] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %steps = tile.extent [%K ceildiv 32]
    %zero = tile.splat 0.0 [64, 224] : tensor<64x224xf32>
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> tensor<64x224xf32> {
      %x = tile.load %a[%m, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
      %y = tile.load %b[%n, %k] tile [224, 32] : memref<?x?xbf16> -> tensor<224x32xbf16>
      %s = tile.dot %x, transpose %y, %acc : tensor<64x32xbf16>, tensor<224x32xbf16>, tensor<64x224xf32>
      scf.yield %s : tensor<64x224xf32>
    }
    %row = tile.load %bias[%n] tile [224] : memref<?xf32> -> tensor<224xf32>
    %all = tile.broadcast %row dims [1] tile [64, 224] : tensor<224xf32> -> tensor<64x224xf32>
    %shifted = arith.addf %sum, %all : tensor<64x224xf32>
    %out = arith.truncf %shifted : tensor<64x224xf32> to tensor<64x224xbf16>
    tile.store %out, %c[%m, %n] : tensor<64x224xbf16>, memref<?x?xbf16>
  }
  tile.forall (%m, %n) in [%M ceildiv 64, %N ceildiv 96] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %steps = tile.extent [%K ceildiv 32]
    %zero = tile.splat 0.0 [64, 96] : tensor<64x96xf32>
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> tensor<64x96xf32> {
      %x = tile.load %a[%m, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>
      %y = tile.load %t[%k, %n] tile [32, 96] : memref<?x?xbf16> -> tensor<32x96xbf16>
      %s = tile.dot %x, %y, %acc : tensor<64x32xbf16>, tensor<32x96xbf16>, tensor<64x96xf32>
      scf.yield %s : tensor<64x96xf32>
    }
    tile.store %sum, %d[%m, %n] : tensor<64x96xf32>, memref<?x?xf32>
  }
  tile.forall (%m, %n) in [%M ceildiv 32, %N ceildiv 96] {
    %x = tile.load %d[%m, %n] tile [32, 96] : memref<?x?xf32> -> tensor<32x96xf32>
    %across = tile.reduce add %x dim 1 : tensor<32x96xf32> -> tensor<32xf32>
    %wide = tile.reshape %across tile [32, 1] : tensor<32xf32> -> tensor<32x1xf32>
    tile.store %wide, %rows[%m, %n] : tensor<32x1xf32>, memref<?x?xf32>
    %down = tile.reduce maximum %x dim 0 : tensor<32x96xf32> -> tensor<96xf32>
    tile.store %down, %columns[%m, %n] : tensor<96xf32>, memref<?x?xf32>
    %flipped = tile.transpose %x [1, 0] : tensor<32x96xf32> -> tensor<96x32xf32>
    tile.store %flipped, %turned[%n, %m] : tensor<96x32xf32>, memref<?x?xf32>
  }
}
