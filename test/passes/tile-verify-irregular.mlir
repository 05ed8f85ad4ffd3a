// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize{world=1},tile-expand,tile-fuse,tile-verify))' --split-input-file --verify-diagnostics

// Which rows a gather reads is data: another task of the statement may write them.
tile.program @gathered_in_place<%M>(%ids: memref<?xi32>, %a: memref<?x64xf32>) extents [%ids: %M] [%a: %M, 64] {
  tile.forall (%m) in [%M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %list = tile.load %ids[%m] tile [32] : memref<?xi32> -> tensor<32xi32>
    // expected-error @below {{data race: read of element [0, 0] of '%a' on rank 0, by task (1) of role @combine on rank 0, is not ordered after the write by task (0) of role @combine on rank 0}}
    // expected-note @below {{the read is here}}
    %t = tile.gather %a[each %list, %c0] tile [32, 64] : memref<?x64xf32>, tensor<32xi32> -> tensor<32x64xf32>
    // expected-error @below {{data race: write of element [32, 0] of '%a' on rank 0, by task (1) of role @combine on rank 0, is not ordered after the read by task (0) of role @combine on rank 0}}
    // expected-note @below {{the write is here}}
    tile.store %t, %a[%m, %c0] : tensor<32x64xf32>, memref<?x64xf32>
  }
}

// -----

// Two scatters of one statement may name the same row: each is assumed to write its rows once, not both together.
tile.program @two_scatters<%M>(%ids: memref<?xi32>, %others: memref<?xi32>, %a: memref<?x64xf32>) extents [%ids: %M] [%others: %M] [%a: %M, 64] {
  tile.forall (%m) in [%M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %list = tile.load %ids[%m] tile [32] : memref<?xi32> -> tensor<32xi32>
    %other = tile.load %others[%m] tile [32] : memref<?xi32> -> tensor<32xi32>
    %t = tile.splat 1.0 [32, 64] : tensor<32x64xf32>
    // expected-error @below {{data race: write of element [0, 0] of '%a' on rank 0, by task (1) of role @combine on rank 0, is not ordered after the write by task (0) of role @combine on rank 0}}
    tile.scatter %t, %a[each %list, %c0] : tensor<32x64xf32>, memref<?x64xf32>, tensor<32xi32>
    // expected-note @below {{the write is here}}
    tile.scatter %t, %a[each %other, %c0] : tensor<32x64xf32>, memref<?x64xf32>, tensor<32xi32>
  }
}
