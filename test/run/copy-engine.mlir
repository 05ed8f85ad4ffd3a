// Copies by the copy engine: late, in pieces, beside kernels that run ahead; launches with other extents, and with none.
// DEFINE: %{engine} = --race --memory weak --shuffle --skewed
// DEFINE: %{pattern} = --pattern specialized-copy-engine
// RUN: split-file %s %t
// RUN: tilec run %source/bench/gpu/gather_matmul.mlir --world 3 --target sm_90a %{pattern} %{engine} --extents-from 0,1,40,100 --launches 5 --seeds 2
// RUN: %if full %{ tilec run %examples/04_all_gather_matmul/all_gather_matmul.mlir --world 2 %{pattern} %{engine} --extents-from 1,40,70 --launches 4 %}
// RUN: %if full %{ tilec run %examples/04_all_gather_matmul/all_gather_matmul.mlir --world 4 --target gfx950 %{pattern} %{engine} --extents-from 0,1,40,520 --launches 4 %}
// RUN: tilec run %examples/08_all_to_all/all_to_all.mlir --world 3 %{pattern} %{engine} --extents-from 0,1,40,100 --launches 4
// RUN: %if full %{ tilec run %t/shift.mlir --world 3 %{pattern} %{engine} --extents-from 1,40,600 --launches 4 %}
// RUN: %if full %{ tilec run %t/row.mlir --world 3 %{pattern} %{engine} --extents-from 0,1,40,1100 --launches 4 %}
// RUN: tilec run %t/strided.mlir --world 2 %{pattern} %{engine} --extent M=20,N=17 --launches 2
// RUN: tilec run %t/written.mlir --world 2 %{engine} --extents-from 1,40 --launches 3
// RUN: tilec run %t/everywhere.mlir --world 1 --extents-from 1,40 --launches 2
// Parts of sums, which tasks leave at home and count there. With pieces of one column of tiles, and of all of a part.
// DEFINE: %{scatter} = %source/bench/gpu/matmul_scatter.mlir --pattern sequential-copy-engine %{engine} --extents-from 0,1,40,130
// RUN: tilec run %{scatter} --world 3 --target sm_90a --granularity group-1 --launches 4 --seeds 2
// RUN: %if full %{ tilec run %{scatter} --world 2 --granularity group-1 --param BM=32,BN=32,BK=32 --launches 4 --seeds 2 %}
// RUN: %if full %{ tilec run %source/bench/gpu/matmul_scatter.mlir --pattern sequential-copy-engine --world 2 --target gfx950 --param BM=32,BN=32,BK=32 --extent M=520,N=300,K=40 --granularity group-4 --launches 2 %}
// RUN: %if full %{ tilec run %{scatter} --world 4 --target sm_90a --launches 4 %}
// What tasks store for all ranks; in two shots behind parts of sums; with one dimension.
// DEFINE: %{gathered} = --pattern sequential-copy-engine %{engine} --extents-from 0,1,40,130
// RUN: tilec run %examples/05_matmul_all_scatter/matmul_all_scatter.mlir %{gathered} --world 3 --target sm_90a --granularity group-1 --launches 4 --seeds 2
// RUN: %if full %{ tilec run %examples/05_matmul_all_scatter/matmul_all_scatter.mlir %{gathered} --world 2 --granularity group-1 --param BM=32,BN=32,BK=32 --launches 4 %}
// RUN: %if full %{ tilec run %source/bench/gpu/matmul_all_reduce.mlir --pattern sequential-copy-engine-two-shot %{engine} --extent M=128,N=100,K=40 --world 2 --target gfx950 --param BM=32,BN=32,BK=32 --granularity group-2 --launches 3 %}
// RUN: tilec run %t/computed.mlir %{engine} --world 3 --extents-from 0,1,40,70 --launches 4
// RUN: %if full %{ tilec run %examples/05_matmul_all_scatter/matmul_all_scatter.mlir %{gathered} --world 4 --target sm_90a --launches 4 %}
// What was gathered is written behind: the engine tells that it has read.
// RUN: %if full %{ tilec run %t/overwritten.mlir --world 3 %{pattern} %{engine} --extents-from 1,40,600 --launches 3 %}
// A copy of many pieces is no deadlock, however long everybody waits for it.
// RUN: tilec run %t/doubled.mlir --world 2 %{pattern} --extent M=530
// Rows of any number make pieces that are tiles.
// RUN: tilec %t/overwritten.mlir --world 2 %{pattern} --extent M=20000 --emit=hip | FileCheck %s --check-prefix=PIECES
// PIECES: tilec::move({{.*}}, {6912, 128},
// One process launches all ranks, and the engine begins behind all: more than its stream holds would never be asked for.
// RUN: not tilec run %t/columns.mlir --world 2 %{pattern} --extent M=600,N=4 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: 'columns' asks the copy engine for more than 960 copies and signals in a launch, which a process that launches all ranks cannot: expected smaller extents, a process for each rank, or another pattern
// RUN: tilec run %t/columns.mlir --world 2 %{pattern} --extent M=400,N=4
// RUN: tilec %t/written.mlir --world 2 --until=waits | FileCheck %s
// CHECK: tile.role @send on 1 workgroups attributes {engine}

//--- shift.mlir
tile.program @shift<%M>(%a: memref<?x96xf32>, %x: memref<?x96xf32, #tile.symmetric>, %c: memref<?x96xf32>)
    extents [%a: %M, 96] [%x: %M, 96] [%c: %M, 96] {
  tile.shift %a into %x by 1 : memref<?x96xf32>, memref<?x96xf32, #tile.symmetric>
  tile.forall (%i, %j) over %c tiles [32, 32] : memref<?x96xf32> {
    %t = tile.load %x[%i, %j] tile [32, 32] : memref<?x96xf32, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %c[%i, %j] : tensor<32x32xf32>, memref<?x96xf32>
  }
}
//--- row.mlir
tile.program @row<%M>(%a: memref<?xf32>, %c: memref<?xf32, #tile.symmetric>) extents [%a: %M] [%c: W * %M] {
  tile.all_gather %a into %c dim 0 : memref<?xf32>, memref<?xf32, #tile.symmetric>
}
//--- strided.mlir
tile.program @strided<%M, %N>(%a: memref<?x?xf32, strided<[?, 2]>>, %c: memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>)
    extents [%a: %M, %N strides 2 * %N, 2] [%c: W * %M, %N strides %N + 3, 1] {
  tile.all_gather %a into %c dim 0 : memref<?x?xf32, strided<[?, 2]>>, memref<?x?xf32, strided<[?, 1]>, #tile.symmetric>
}
//--- computed.mlir
tile.program @computed<%M>(%a: memref<?xf32>, %c: memref<?xf32, #tile.symmetric>) extents [%a: %M] [%c: W * %M] attributes {pattern = #tile.pattern<sequential, copy_engine>} {
  %x = tile.alloc [%M] : memref<?xf32, #tile.symmetric>
  tile.forall (%i) in [%M ceildiv 16] {
    %t = tile.load %a[%i] tile [16] : memref<?xf32> -> tensor<16xf32>
    %u = arith.addf %t, %t : tensor<16xf32>
    tile.store %u, %x[%i] : tensor<16xf32>, memref<?xf32, #tile.symmetric>
  }
  tile.all_gather %x into %c dim 0 tiles [16] : memref<?xf32, #tile.symmetric>, memref<?xf32, #tile.symmetric>
}
//--- written.mlir
tile.program @written<%M>(%a: memref<?x64xf32>, %x: memref<?x?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>)
    extents [%a: %M, 64] [%x: W, %M, 64] [%c: %M, 64] {
  %rank = tile.rank
  %zero = arith.constant 0 : index
  %last = arith.constant 1 : index
  %mine = memref.subview %x[%rank, 0, 0] [1, %M, 64] [1, 1, 1] : memref<?x?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  %other = memref.subview %x[%last, 0, 0] [1, %M, 64] [1, 1, 1] : memref<?x?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  tile.forall (%p, %i) in [W, %M ceildiv 32] on 1 workgroups attributes {engine} {
    %t = tile.load %a[%i, %zero] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    tile.store %t, %mine[%i, %zero] to %p : tensor<32x64xf32>, memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  }
  tile.forall (%i) in [%M ceildiv 32] {
    %t = tile.load %other[%i, %zero] tile [32, 64] : memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric> -> tensor<32x64xf32>
    tile.store %t, %c[%i, %zero] : tensor<32x64xf32>, memref<?x64xf32>
  }
}
//--- overwritten.mlir
tile.program @overwritten<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>) extents [%a: %M, 64] [%x: W * %M, 64] {
  tile.all_gather %a into %x dim 0 : memref<?x64xf32>, memref<?x64xf32, #tile.symmetric>
  tile.forall (%i, %j) over %a tiles [32, 32] : memref<?x64xf32> {
    %u = tile.splat 3.0 [32, 32] : tensor<32x32xf32>
    tile.store %u, %a[%i, %j] : tensor<32x32xf32>, memref<?x64xf32>
  }
}
//--- columns.mlir
tile.program @columns<%M, %N>(%a: memref<?x?xf32, strided<[1, ?]>>, %x: memref<?x?xf32, #tile.symmetric>) extents [%a: %M, %N strides 1, %M] [%x: W * %M, %N] {
  tile.all_gather %a into %x dim 0 : memref<?x?xf32, strided<[1, ?]>>, memref<?x?xf32, #tile.symmetric>
}
//--- everywhere.mlir
tile.program @everywhere<%M>(%a: memref<?x64xf32>, %x: memref<?x?x64xf32, #tile.symmetric>) extents [%a: %M, 64] [%x: W, %M, 64] {
  %rank = tile.rank
  %zero = arith.constant 0 : index
  %mine = memref.subview %x[%rank, 0, 0] [1, %M, 64] [1, 1, 1] : memref<?x?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  tile.forall (%p, %i) in [W, %M ceildiv 32] on 1 workgroups attributes {engine} {
    %t = tile.load %a[%i, %zero] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    tile.store %t, %mine[%i, %zero] to %p : tensor<32x64xf32>, memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
  }
}
//--- doubled.mlir
tile.program @doubled<%M>(%a: memref<?x1024xf32>, %x: memref<?x1024xf32, #tile.symmetric>, %c: memref<?x1024xf32>) extents [%a: %M, 1024] [%x: W * %M, 1024] [%c: W * %M, 1024] {
  tile.all_gather %a into %x dim 0 : memref<?x1024xf32>, memref<?x1024xf32, #tile.symmetric>
  tile.forall (%i, %j) over %c tiles [32, 32] : memref<?x1024xf32> {
    %t = tile.load %x[%i, %j] tile [32, 32] : memref<?x1024xf32, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %c[%i, %j] : tensor<32x32xf32>, memref<?x1024xf32>
  }
}
