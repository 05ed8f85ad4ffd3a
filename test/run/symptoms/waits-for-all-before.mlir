// Statements that exchange two buffers waited for each that came before, in one kernel and in kernels behind barriers: these 8 had 47 waits and 18, and
// compiling 200 of them took 4 s. What a statement has written over, who waits for that has waited for.
// RUN: tilec %s --world 3 --pattern sequential-pull --emit=hip | grep -c 'wait<' | FileCheck %s --check-prefix=ONE
// RUN: tilec %s --world 3 --pattern bulk --emit=hip | grep -c 'wait<' | FileCheck %s --check-prefix=BULK
// RUN: for p in sequential-pull bulk; do tilec run %s --world 3 --pattern $p --extent M=200 --race --memory weak --shuffle --skewed --launches 3 --seeds 2 || exit 1; done
// A statement waits for what it reads, which the next rank wrote; for the one before it, which read on the previous rank what it writes; for its own
// rank's, which wrote there before; and for the other ranks to be there.
// ONE: {{^29$}}
// BULK: {{^9$}}
tile.program @exchanges<%M>(%a: memref<?xf32, #tile.symmetric>, %b: memref<?xf32, #tile.symmetric>) extents [%a: %M] [%b: %M] {
  %rank = tile.rank
  %world = tile.world_size
  %one = arith.constant 1 : index
  %following = arith.addi %rank, %one : index
  %next = arith.remui %following, %world : index
  tile.forall (%i) in [%M ceildiv 64] {
    %x = tile.load %a[%i] tile [64] from %next : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
    %y = arith.addf %x, %x : tensor<64xf32>
    tile.store %y, %b[%i] : tensor<64xf32>, memref<?xf32, #tile.symmetric>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %x = tile.load %b[%i] tile [64] from %next : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
    %y = arith.addf %x, %x : tensor<64xf32>
    tile.store %y, %a[%i] : tensor<64xf32>, memref<?xf32, #tile.symmetric>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %x = tile.load %a[%i] tile [64] from %next : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
    %y = arith.addf %x, %x : tensor<64xf32>
    tile.store %y, %b[%i] : tensor<64xf32>, memref<?xf32, #tile.symmetric>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %x = tile.load %b[%i] tile [64] from %next : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
    %y = arith.addf %x, %x : tensor<64xf32>
    tile.store %y, %a[%i] : tensor<64xf32>, memref<?xf32, #tile.symmetric>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %x = tile.load %a[%i] tile [64] from %next : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
    %y = arith.addf %x, %x : tensor<64xf32>
    tile.store %y, %b[%i] : tensor<64xf32>, memref<?xf32, #tile.symmetric>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %x = tile.load %b[%i] tile [64] from %next : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
    %y = arith.addf %x, %x : tensor<64xf32>
    tile.store %y, %a[%i] : tensor<64xf32>, memref<?xf32, #tile.symmetric>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %x = tile.load %a[%i] tile [64] from %next : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
    %y = arith.addf %x, %x : tensor<64xf32>
    tile.store %y, %b[%i] : tensor<64xf32>, memref<?xf32, #tile.symmetric>
  }
  tile.forall (%i) in [%M ceildiv 64] {
    %x = tile.load %b[%i] tile [64] from %next : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
    %y = arith.addf %x, %x : tensor<64xf32>
    tile.store %y, %a[%i] : tensor<64xf32>, memref<?xf32, #tile.symmetric>
  }
}
