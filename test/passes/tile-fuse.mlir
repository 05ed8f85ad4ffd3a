// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=sequential-push granularity=task},tile-expand,tile-fuse))' | FileCheck %s --check-prefix=SINK
// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=specialized-pull granularity=task},tile-expand,tile-fuse{communication=4}))' | FileCheck %s --check-prefix=FORWARD
// RUN: tilec-opt %s --split-input-file --keep-names --mlir-use-nameloc-as-prefix --pass-pipeline='builtin.module(tile.program(tile-specialize{world=3},tile-choose{pattern=bulk-push granularity=task},tile-expand,tile-fuse))' | FileCheck %s --check-prefix=BULK

// The producer sends its tile from registers; scratch and copy are gone, and the peer is computed before. Bulk keeps both, in kernels of their own.
// SINK-LABEL: @sunk
// SINK-NOT: tile.alloc
// SINK: %[[PEER:.*]] = arith.remui
// SINK: tile.role @combine {
// SINK: tile.store %{{.*}}, %x [%m, %n] to %[[PEER]]
// SINK-NOT: tile.role
// BULK-LABEL: @sunk
// BULK: tile.kernel @sunk_1
// BULK: tile.role @combine {
// BULK: tile.kernel @sunk_2
// BULK: tile.role @send {
tile.program @sunk<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: %M, 64] {
  %part = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %a tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %part[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.shift %part into %x by 1 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}

// -----

// Somebody else reads the scratch: the producer stores to both.
// SINK-LABEL: @other_reader
// SINK: %part = tile.alloc
// SINK: tile.role @combine {
// SINK-DAG: tile.store %{{.*}}, %x [%m, %n] to %
// SINK-DAG: tile.store %{{.*}}, %part [%m, %n] :
// SINK: tile.role @combine_2 {
// SINK-NOT: tile.role
tile.program @other_reader<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: %M, 64] {
  %part = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %a tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %part[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.shift %part into %x by 1 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %part[%m, %n] tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}

// -----

// Not sunk: the destination is read in between.
// SINK-LABEL: @destination_read_in_between
// SINK: tile.role @combine {
// SINK: tile.role @combine_2 {
// SINK: tile.role @send {
tile.program @destination_read_in_between<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: %M, 64] {
  %part = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %a tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %part[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %x[%m, %n] tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
  tile.shift %part into %x by 1 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}

// -----

// Not sunk: the producer itself reads the destination.
// SINK-LABEL: @producer_reads_destination
// SINK: tile.role @combine {
// SINK: tile.role @send {
tile.program @producer_reads_destination<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: %M, 64] {
  %part = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %x tiles [32, 32] : memref<?x64xf32, #tile.symmetric> {
    %t = tile.load %x[%m, %n] tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %part[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.shift %part into %x by 1 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}

// -----

// Not sunk: the scratch outlives the launch.
// SINK-LABEL: @persistent
// SINK: tile.alloc persistent
// SINK: tile.role @send {
tile.program @persistent<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: %M, 64] {
  %part = tile.alloc persistent [%M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %a tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %part[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.shift %part into %x by 1 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}

// -----

// Not sunk: two statements write the scratch.
// SINK-LABEL: @two_writers
// SINK: tile.role @send {
tile.program @two_writers<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: %M, 64] {
  %part = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %a tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %part[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.forall (%m, %n) over %a tiles [16, 32] : memref<?x64xf32> {
    %t = tile.load %a[%m, %n] tile [16, 32] : memref<?x64xf32> -> tensor<16x32xf32>
    %u = arith.addf %t, %t : tensor<16x32xf32>
    tile.store %u, %part[%m, %n] : tensor<16x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.shift %part into %x by 1 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
}

// -----

// Not sunk: the copy moves only the first tile of the columns.
// SINK-LABEL: @uncovered
// SINK: tile.role @send {
tile.program @uncovered<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: %M, 64] {
  %part = tile.alloc [%M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %a tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %part[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  %rank = tile.rank
  %zero = arith.constant 0 : index
  tile.forall (%m) in [%M ceildiv 16] {
    %t = tile.load %part[%m, %zero] tile [16, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<16x32xf32>
    tile.store %t, %x[%m, %zero] to %rank : tensor<16x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
}

// -----

// The consumer loads what the gather would have fetched, from its owner.
// FORWARD-LABEL: @forwarded
// FORWARD-NOT: tile.alloc
// FORWARD: tile.role @combine {
// FORWARD: tile.load %x [%m, %n] tile [32, 32] from %r
// FORWARD-NOT: tile.role
tile.program @forwarded<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: W * %M, 64] {
  %full = tile.alloc [W * %M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.all_gather %x into %full dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.forall (%r, %m, %n) in [W, %M ceildiv 32, 2] {
    %base = arith.muli %r, %M : index
    %v = memref.subview %full[%base, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
    %w = memref.subview %c[%base, 0] [%M, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    %t = tile.load %v[%m, %n] tile [32, 32] : memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %w[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, strided<[64, 1], offset: ?>>
  }
}

// -----

// Not forwarded: the source changes before the consumer reads. Copies have 4 workgroups of their own.
// FORWARD-LABEL: @source_written_in_between
// FORWARD: %full = tile.alloc
// FORWARD: tile.role @fetch on 4 workgroups {
// FORWARD: tile.role @combine {
// FORWARD: tile.role @combine_2 {
// FORWARD: tile.load %{{.*}} [%m, %n] tile [32, 32] :
tile.program @source_written_in_between<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: W * %M, 64] {
  %full = tile.alloc [W * %M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.all_gather %x into %full dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %x tiles [32, 32] : memref<?x64xf32, #tile.symmetric> {
    %t = tile.load %x[%m, %n] tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %x[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
  }
  tile.forall (%r, %m, %n) in [W, %M ceildiv 32, 2] {
    %base = arith.muli %r, %M : index
    %v = memref.subview %full[%base, 0] [%M, 64] [1, 1] : memref<?x64xf32, #tile.symmetric> to memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric>
    %w = memref.subview %c[%base, 0] [%M, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    %t = tile.load %v[%m, %n] tile [32, 32] : memref<?x64xf32, strided<[64, 1], offset: ?>, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %w[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, strided<[64, 1], offset: ?>>
  }
}

// -----

// Not forwarded: the consumer's tiles cross the shards.
// FORWARD-LABEL: @unaligned
// FORWARD: tile.role @fetch on 4 workgroups {
tile.program @unaligned<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: W * %M, 64] {
  %full = tile.alloc [W * %M, 64] : memref<?x64xf32, #tile.symmetric>
  tile.all_gather %x into %full dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32, #tile.symmetric>
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %full[%m, %n] tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}

// -----

// A kernel written by hand keeps its name; the one made here gets another.
// SINK-LABEL: @taken<
// SINK: tile.kernel @taken {
// SINK: tile.kernel @taken_fused {
tile.program @taken<%M>(%a: memref<?x64xf32>, %x: memref<?x64xf32, #tile.symmetric>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%x: %M, 64] [%c: %M, 64] {
  tile.kernel @taken {
    tile.role @copy {
      tile.forall (%m, %n) in [%M ceildiv 32, 2] {
        %t = tile.load %a[%m, %n] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
        tile.store %t, %x[%m, %n] : tensor<32x32xf32>, memref<?x64xf32, #tile.symmetric>
      }
    }
  }
  tile.forall (%m, %n) over %c tiles [32, 32] : memref<?x64xf32> {
    %t = tile.load %x[%m, %n] tile [32, 32] : memref<?x64xf32, #tile.symmetric> -> tensor<32x32xf32>
    %u = arith.addf %t, %t : tensor<32x32xf32>
    tile.store %u, %c[%m, %n] : tensor<32x32xf32>, memref<?x64xf32>
  }
}

// -----

// A statement has the workgroups that it asks for where it shares a kernel. What moves tiles as they are between ranks is named after that, by whatever
// indices, and has workgroups of its own where copies have.
// SINK-LABEL: @own_workgroups
// SINK: tile.role @send on 16 workgroups {
// SINK: tile.forall (%r, %m) in [3, %M ceildiv 32] {
// SINK: tile.role @combine {
// FORWARD-LABEL: @own_workgroups
// FORWARD: tile.role @send on 16 workgroups {
// FORWARD: tile.role @combine {
// BULK-LABEL: @own_workgroups
// BULK: tile.kernel @own_workgroups_1
// BULK: tile.role @send {
// BULK: tile.kernel @own_workgroups_2
tile.program @own_workgroups<%M>(%a: memref<?x64xf32>, %rows: memref<3x?xi32>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%rows: 3, %M] [%c: W * %M, 64]
    indices [%rows: %M] {
  %all = tile.alloc [W, %M, 64] : memref<?x?x64xf32, #tile.symmetric>
  %me = tile.rank
  tile.forall (%r, %m) in [W, %M ceildiv 32] on 16 workgroups {
    %c0 = arith.constant 0 : index
    %row = tile.load %rows[%r, %m] tile [32] : memref<3x?xi32> -> tensor<32xi32>
    %t = tile.gather %a[each %row, %c0] tile [32, 64] : memref<?x64xf32>, tensor<32xi32> -> tensor<32x64xf32>
    tile.store %t, %all[%me, %m, %c0] to %r : tensor<32x64xf32>, memref<?x?x64xf32, #tile.symmetric>
  }
  tile.forall (%r, %m) in [W, %M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %t = tile.load %all[%r, %m, %c0] tile [32, 64] : memref<?x?x64xf32, #tile.symmetric> -> tensor<32x64xf32>
    %u = arith.addf %t, %t : tensor<32x64xf32>
    %rows_of = arith.muli %r, %M : index
    %part = memref.subview %c[%rows_of, 0] [%M, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    tile.store %u, %part[%m, %c0] : tensor<32x64xf32>, memref<?x64xf32, strided<[64, 1], offset: ?>>
  }
}

// -----

// Without a word the same, of the pattern's number.
// SINK-LABEL: @gathered_and_sent
// SINK: tile.role @send {
// FORWARD-LABEL: @gathered_and_sent
// FORWARD: tile.role @send on 4 workgroups {
// FORWARD: tile.role @combine {
tile.program @gathered_and_sent<%M>(%a: memref<?x64xf32>, %rows: memref<3x?xi32>, %c: memref<?x64xf32>) extents [%a: %M, 64] [%rows: 3, %M] [%c: %M, 64]
    indices [%rows: %M] {
  %all = tile.alloc [W, %M, 64] : memref<?x?x64xf32, #tile.symmetric>
  %me = tile.rank
  tile.forall (%r, %m) in [W, %M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %row = tile.load %rows[%r, %m] tile [32] : memref<3x?xi32> -> tensor<32xi32>
    %t = tile.gather %a[each %row, %c0] tile [32, 64] : memref<?x64xf32>, tensor<32xi32> -> tensor<32x64xf32>
    tile.store %t, %all[%me, %m, %c0] to %r : tensor<32x64xf32>, memref<?x?x64xf32, #tile.symmetric>
  }
  tile.forall (%m) in [%M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %t = tile.load %all[%c0, %m, %c0] tile [32, 64] : memref<?x?x64xf32, #tile.symmetric> -> tensor<32x64xf32>
    %u = arith.addf %t, %t : tensor<32x64xf32>
    tile.store %u, %c[%m, %c0] : tensor<32x64xf32>, memref<?x64xf32>
  }
}
