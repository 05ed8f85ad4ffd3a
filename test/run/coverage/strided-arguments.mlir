// RUN: rm -rf %t && split-file %s %t
// RUN: tilec run %t/pitches.mlir --world 1 --extent M=37
// RUN: tilec run %t/pitches.mlir --world 2 --extent M=37 --extent lda=41 --extent page=1777 --shuffle --seed 3
// RUN: tilec run %t/pitches.mlir --world 1 --launches 3 --extents-from 1,8,0,70 --seed 5 --memory weak --race
// RUN: tilec run %t/peers.mlir --world 2 --extent M=40 --memory weak --race
// RUN: tilec run %t/peers.mlir --world 3 --extent M=21 --extent lda=67 --extent ldc=65 --memory weak --race --skewed --launches 3
// RUN: tilec run %t/collectives.mlir --world 2 --extent M=40 --extent K=72 --memory weak --race
// RUN: tilec run %t/collectives.mlir --world 3 --extent M=16 --extent K=72 --extent lda=73 --extent ldb=74 --extent ldc=2001 --pattern specialized-push
// RUN: tilec run %t/collectives.mlir --world 2 --extent M=40 --extent K=72 --pattern sequential-staged

// RUN: tilec run %t/planes.mlir --world 2 --extent M=37 --race
// RUN: tilec run %t/planes.mlir --world 2 --extent M=37,ld=230,plane=76 --race
// RUN: tilec run %t/all.mlir --world 3 --extent M=20,K=40 --pattern bulk-push --memory weak --race
// RUN: tilec run %t/all.mlir --world 2 --extent M=20,K=40,p=43,q=41 --pattern sequential-push --launches 2 --skewed

// A pitch that is known and one that a launch gives, aligned and not; columns that lie one behind the other; pages of
// rows, of which one is taken; rows that are skipped; a vector with gaps.
//--- pitches.mlir
tile.program @pitches<%M, %lda, %page, %gap>(%a: memref<?x40xf32, strided<[?, 1]>>, %b: memref<?x40xf32, strided<[48, 1]>>,
    %columns: memref<?x40xf32, strided<[1, ?]>>, %pages: memref<3x?x40xf32, strided<[?, ?, 1]>>, %v: memref<?xf32, strided<[?]>>,
    %c: memref<?x40xf32, strided<[?, 1]>>, %d: memref<?x40xf32, strided<[1, ?]>>, %e: memref<3x?x40xf32, strided<[?, 44, 1]>>, %w: memref<?xf32, strided<[3]>>)
    extents [%a: %M, 40 strides %lda, 1] [%b: %M, 40] [%columns: %M, 40 strides 1, %M + 3] [%pages: 3, %M, 40 strides %page, %lda, 1]
      [%v: %M strides %gap] [%c: %M, 40 strides 2 * %lda, 1] [%d: %M, 40 strides 1, %M] [%e: 3, %M, 40 strides 50 * %M, 44, 1] [%w: %M] {
  %M_ = tile.extent [%M]
  %half = tile.extent [%M floordiv 2]
  %last = memref.subview %pages[2, 0, 0] [1, %M, 40] [1, 1, 1] : memref<3x?x40xf32, strided<[?, ?, 1]>> to memref<?x40xf32, strided<[?, 1], offset: ?>>
  %middle = memref.subview %e[1, 0, 0] [1, %M_, 40] [1, 1, 1] : memref<3x?x40xf32, strided<[?, 44, 1]>> to memref<?x40xf32, strided<[44, 1], offset: ?>>
  %odd = memref.subview %c[0, 1] [%half, 20] [2, 2] : memref<?x40xf32, strided<[?, 1]>> to memref<?x20xf32, strided<[?, 2], offset: 1>>
  tile.forall (%m, %n) over %d tiles [16, 16] : memref<?x40xf32, strided<[1, ?]>> {
    %x = tile.load %a[%m, %n] tile [16, 16] : memref<?x40xf32, strided<[?, 1]>> -> tensor<16x16xf32>
    %y = tile.load %b[%m, %n] tile [16, 16] : memref<?x40xf32, strided<[48, 1]>> -> tensor<16x16xf32>
    %z = tile.load %columns[%m, %n] tile [16, 16] : memref<?x40xf32, strided<[1, ?]>> -> tensor<16x16xf32>
    %xy = arith.addf %x, %y : tensor<16x16xf32>
    %xyz = arith.subf %xy, %z : tensor<16x16xf32>
    tile.store %xyz, %d[%m, %n] : tensor<16x16xf32>, memref<?x40xf32, strided<[1, ?]>>
    %p = tile.load %last[%m, %n] tile [16, 16] : memref<?x40xf32, strided<[?, 1], offset: ?>> -> tensor<16x16xf32>
    tile.store %p, %middle[%m, %n] : tensor<16x16xf32>, memref<?x40xf32, strided<[44, 1], offset: ?>>
  }
  tile.forall (%m, %n) over %odd tiles [16, 16] : memref<?x20xf32, strided<[?, 2], offset: 1>> {
    %x = tile.load %b[%m, %n] tile [16, 16] : memref<?x40xf32, strided<[48, 1]>> -> tensor<16x16xf32>
    tile.store %x, %odd[%m, %n] : tensor<16x16xf32>, memref<?x20xf32, strided<[?, 2], offset: 1>>
  }
  tile.forall (%m) over %w tiles [32] : memref<?xf32, strided<[3]>> {
    %x = tile.load %v[%m] tile [32] : memref<?xf32, strided<[?]>> -> tensor<32xf32>
    tile.store %x, %w[%m] : tensor<32xf32>, memref<?xf32, strided<[3]>>
  }
  tile.forall (%m) over %w tiles [32] : memref<?xf32, strided<[3]>> {
    %x = tile.load %v[%m] tile [32] : memref<?xf32, strided<[?]>> -> tensor<32xf32>
    tile.atomic add %x, %w[%m] : tensor<32xf32>, memref<?xf32, strided<[3]>>
  }
}

// Each rank reads its neighbour's argument and writes into another of its; rows that begin nowhere in particular.
//--- peers.mlir
tile.program @peers<%M, %lda, %ldc>(%a: memref<?x64xf32, strided<[?, 1]>, #tile.symmetric>, %c: memref<?x64xf32, strided<[?, 1]>, #tile.symmetric>,
    %d: memref<?x64xf32, strided<[72, 1]>, #tile.symmetric>) extents [%a: %M, 64 strides %lda, 1] [%c: %M, 64 strides %ldc + 1, 1] [%d: %M, 64] {
  %rank = tile.rank
  %world = tile.world_size
  %one = arith.constant 1 : index
  %after = arith.addi %rank, %one : index
  %next = arith.remui %after, %world : index
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32, strided<[?, 1]>, #tile.symmetric> {
    %t = tile.load %a[%m, %n] tile [32, 32] from %next : memref<?x64xf32, strided<[?, 1]>, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, strided<[?, 1]>, #tile.symmetric>
    tile.store %t, %d[%m, %n] to %next : tensor<32x32xf32>, memref<?x64xf32, strided<[72, 1]>, #tile.symmetric>
  }
}

// Sugar over arguments with strides, in and out.
//--- collectives.mlir
tile.program @collectives<%M, %K, %lda, %ldb, %ldc>(%a: memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>, %b: memref<96x?xf32, strided<[?, 1]>>, %c: memref<?x96xf32, strided<[?, 1]>>,
    %s: memref<?x40xf32, strided<[56, 1]>, #tile.symmetric>, %r: memref<?x40xf32, strided<[1, ?]>>)
    extents [%a: %M, %K strides %lda, 1] [%b: 96, %K strides %ldb, 1] [%c: W * %M, 96 strides %ldc, 1] [%s: W * %M, 40] [%r: %M, 40 strides 1, %M + 5] {
  %full = tile.alloc [W * %M, %K] : memref<?x?xf32, #tile.symmetric>
  tile.all_gather %a into %full dim 0 : memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>, memref<?x?xf32, #tile.symmetric>
  tile.matmul %full, transpose %b into %c : memref<?x?xf32, #tile.symmetric>, memref<96x?xf32, strided<[?, 1]>>, memref<?x96xf32, strided<[?, 1]>>
  tile.reduce_scatter %s into %r dim 0 : memref<?x40xf32, strided<[56, 1]>, #tile.symmetric>, memref<?x40xf32, strided<[1, ?]>>
}

// Which of two pitches is larger the launch decides; a row may be longer than an int.
//--- planes.mlir
tile.program @planes<%M, %ld, %plane>(%a: memref<?x40x3xf32, strided<[1, ?, ?]>, #tile.symmetric>, %b: memref<3x?x40xf32, strided<[?, 1, ?]>>, %c: memref<?x40xf32, strided<[5000000000, 1]>>)
    extents [%a: %M, 40, 3 strides 1, %ld, %plane] [%b: 3, %M, 40 strides %plane, 1, %ld] [%c: 1, 40] {
  %rank = tile.rank
  %world = tile.world_size
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %after = arith.addi %rank, %one : index
  %next = arith.remui %after, %world : index
  %v = memref.subview %a[0, 0, 2] [%M, 40, 1] [1, 1, 1] : memref<?x40x3xf32, strided<[1, ?, ?]>, #tile.symmetric> to memref<?x40xf32, strided<[1, ?], offset: ?>, #tile.symmetric>
  %w = memref.subview %b[1, 0, 0] [1, %M, 40] [1, 1, 1] : memref<3x?x40xf32, strided<[?, 1, ?]>> to memref<?x40xf32, strided<[1, ?], offset: ?>>
  %line = memref.subview %b[2, 0, 7] [1, %M, 1] [1, 1, 1] : memref<3x?x40xf32, strided<[?, 1, ?]>> to memref<?xf32, strided<[1], offset: ?>>
  tile.forall (%m, %n) over %w tiles [32, 32] : memref<?x40xf32, strided<[1, ?], offset: ?>> {
    %t = tile.load %v[%m, %n] tile [32, 32] from %next : memref<?x40xf32, strided<[1, ?], offset: ?>, #tile.symmetric> -> tensor<32x32xf32>
    tile.store %t, %w[%m, %n] : tensor<32x32xf32>, memref<?x40xf32, strided<[1, ?], offset: ?>>
  }
  tile.forall (%m) over %line tiles [32] : memref<?xf32, strided<[1], offset: ?>> {
    %t = tile.load %v[%m, %zero] tile [32, 1] from %next : memref<?x40xf32, strided<[1, ?], offset: ?>, #tile.symmetric> -> tensor<32x1xf32>
    %u = tile.reshape %t tile [32] : tensor<32x1xf32> -> tensor<32xf32>
    tile.store %u, %line[%m] : tensor<32xf32>, memref<?xf32, strided<[1], offset: ?>>
  }
  tile.forall (%m, %n) over %c tiles [16, 16] : memref<?x40xf32, strided<[5000000000, 1]>> {
    %t = tile.load %c[%m, %n] tile [16, 16] : memref<?x40xf32, strided<[5000000000, 1]>> -> tensor<16x16xf32>
    %u = arith.addf %t, %t : tensor<16x16xf32>
    tile.store %u, %c[%m, %n] : tensor<16x16xf32>, memref<?x40xf32, strided<[5000000000, 1]>>
  }
}

// Every collective between buffers with strides.
//--- all.mlir
tile.program @all<%M, %K, %p, %q>(%a: memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>, %g: memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>,
    %s: memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>, %r: memref<?x?xf32, strided<[1, ?]>, #tile.symmetric>,
    %x: memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>, %y: memref<?x?xf32, strided<[?, 2]>, #tile.symmetric>, %h: memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>,
    %t: memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>, %red: memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>)
    extents [%a: %M, %K strides %p, 1] [%g: W * %M, %K strides %q, 1] [%s: W * %M, %K strides %p, 1] [%r: %M, %K strides 1, %M + 1]
    [%x: W * %M, %K strides %q, 1] [%y: W * %M, %K strides 2 * %p, 2] [%h: %M, %K strides %q, 1] [%t: %M, %K strides %p, 1] [%red: %M, %K strides %p, 1] {
  tile.all_gather %a into %g dim 0 : memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>, memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>
  tile.reduce_scatter %s into %r dim 0 : memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>, memref<?x?xf32, strided<[1, ?]>, #tile.symmetric>
  tile.all_to_all %x into %y dim 0 : memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>, memref<?x?xf32, strided<[?, 2]>, #tile.symmetric>
  tile.shift %h into %t by 1 : memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>, memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>
  tile.all_reduce %a into %red : memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>, memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>
}
