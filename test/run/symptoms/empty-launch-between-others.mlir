// RUN: tilec verify %s --world 2 --pattern sequential-push | FileCheck %s --check-prefix=REFUSED
// RUN: tilec verify %s --world 2 --pattern sequential-push-credits | FileCheck %s --check-prefix=TAKEN
// RUN: tilec %s --world 2 --pattern sequential-push -o %t && FileCheck %s --check-prefix=MANIFEST < %t/empty.json && tilec verify --manifest %t/empty.json
// RUN: tilec run %s --world 2 --pattern sequential-push --extents-from 0,9,33 --launches 12 --shuffle --seeds 6 --memory weak --race --skewed
// RUN: tilec run %s --world 2 --pattern sequential-push-credits --extents-from 0,9,33 --launches 12 --shuffle --seeds 6 --memory weak --race --skewed

// Two copies need no credit as long as ranks hear from each other in every launch. One with N = 0 has no tile to wait
// for: a rank went on to the launch after it and wrote what its peer still read of the launch before.
// REFUSED: progress any; does nothing with N=0
// TAKEN: progress any
// TAKEN-NOT: with
// MANIFEST: "nonzero": [
// MANIFEST-NEXT: [
// MANIFEST-NEXT: "N"
tile.program @empty<%N>(%x: memref<?xf32>, %out: memref<?xf32>) extents [%x: W * %N] [%out: %N] {
  %s = tile.alloc [%N] : memref<?xf32>
  tile.reduce_scatter %x into %s dim 0 tiles [32] : memref<?xf32>, memref<?xf32>
  tile.forall (%m) in [%N ceildiv 64] {
    %t = tile.load %s[%m] tile [64] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %out[%m] : tensor<64xf32>, memref<?xf32>
  }
}
