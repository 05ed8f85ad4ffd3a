// RUN: tilec verify %s --world 2 --pattern sequential-push-two-shot --param B0=16
// RUN: tilec run %s --world 2 --pattern sequential-push-two-shot --param B0=16 --extents-from 40,72,1 --launches 4 --shuffle --seeds 2 --memory weak --skewed

// Tasks that read beside the buffer wait for nobody: their writes were taken to come after the launch before of every rank.
// Made at random.
tile.program @p<%N, %K, %M>(%x: memref<?x?xf32>, %x2: memref<?x?xf32>, %out: memref<?xi32>, %out2: memref<?x?x?xf32>) extents [%x: %N, %K] [%x2: W * %N, %N] [%out: %N] [%out2: W, %N, %N] {
  tile.param @B0 in [8, 16] default 8
  tile.param @B1 in [32, 64] default 64
  %s = tile.alloc [W * %N, %K] : memref<?x?xf32, #tile.symmetric>
  %s2 = tile.alloc [%N] : memref<?xi32>
  %s3 = tile.alloc [W, %N, %N] : memref<?x?x?xf32, #tile.symmetric>
  %rank = tile.rank
  %world = tile.world_size
  %c1 = arith.constant 1 : index
  %last = arith.subi %world, %c1 : index
  %mirror = arith.subi %last, %rank : index
  %true = arith.constant true
  %c8 = arith.constant 8 : index
  %size = tile.extent [@B1]
  %c0 = arith.constant 0 : index
  tile.forall (%p, %m, %n) in [W, %N ceildiv 16, %K ceildiv @B0] {
    %base = arith.muli %mirror, %N : index
    %view = memref.subview %s[%base, 0] [%N, %K] [1, 1] : memref<?x?xf32, #tile.symmetric> to memref<?x?xf32, strided<[?, 1], offset: ?>, #tile.symmetric>
    %t = tile.load %x[%m, %n] tile [16, @B0] : memref<?x?xf32> -> tensor<16x?xf32>
    tile.store %t, %view[%m, %n] to %p : tensor<16x?xf32>, memref<?x?xf32, strided<[?, 1], offset: ?>, #tile.symmetric>
  }
  tile.forall (%m2) in [%N ceildiv 64] {
    %filled = tile.splat -3 [64] : tensor<64xi32>
    tile.store %filled, %s2[%m2] : tensor<64xi32>, memref<?xi32>
  }
  tile.forall (%p2, %m3, %n2) in [W, %N ceildiv 8, %N ceildiv @B1] {
    %holds = arith.cmpi ugt, %rank, %c1 : index
    %holds2 = arith.xori %holds, %true : i1
    %either = scf.if %holds2 -> tensor<8x?xf32> {
      %tilec = arith.muli %m3, %c8 : index
      %from = arith.muli %n2, %size : index
      %at = arith.addi %tilec, %c1 : index
      %at2 = arith.subi %from, %c0 : index
      %t2 = tile.load %s at (%at, %at2) tile [8, @B1] : memref<?x?xf32, #tile.symmetric> -> tensor<8x?xf32>
      scf.yield %t2 : tensor<8x?xf32>
    } else {
      %main = tile.splat 0.0 [8, @B1] : tensor<8x?xf32>
      %total = scf.for %r = %c0 to %world step %c1 iter_args(%sum = %main) -> tensor<8x?xf32> {
        %base2 = arith.muli %r, %N : index
        %view2 = memref.subview %x2[%base2, 0] [%N, %N] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
        %t3 = tile.load %view2[%m3, %n2] tile [8, @B1] : memref<?x?xf32, strided<[?, 1], offset: ?>> -> tensor<8x?xf32>
        %t4 = arith.addf %sum, %t3 : tensor<8x?xf32>
        scf.yield %t4 : tensor<8x?xf32>
      }
      scf.yield %total : tensor<8x?xf32>
    }
    tile.store %either, %s3[%rank, %m3, %n2] to %p2 : tensor<8x?xf32>, memref<?x?x?xf32, #tile.symmetric>
  }
  tile.forall (%m4) over %out tiles [8] : memref<?xi32> {
    %t5 = tile.load %s2[%m4] tile [8] : memref<?xi32> -> tensor<8xi32>
    tile.store %t5, %out[%m4] : tensor<8xi32>, memref<?xi32>
  }
  tile.forall (%m5, %n3, %l) in [W ceildiv 1, %N ceildiv 16, %N ceildiv 8] {
    %t6 = tile.load %s3[%m5, %n3, %l] tile [1, 16, 8] : memref<?x?x?xf32, #tile.symmetric> -> tensor<1x16x8xf32>
    tile.store %t6, %out2[%m5, %n3, %l] : tensor<1x16x8xf32>, memref<?x?x?xf32>
  }
}
