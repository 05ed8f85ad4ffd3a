// RUN: not tilec-opt %s --split-input-file --keep-names --pass-pipeline='builtin.module(tile.program(tile-specialize{world=2},tile-verify{extents=M=200,M=40}))' -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:

// A credit for each tile: a larger launch waits for one that a smaller launch before it does not give.
// CHECK: error: waits for [1] of rank 0, which nothing raises, in task (1) of role @send on rank 0 in a launch with M=200
// CHECK: note: the grid is declared here
tile.program @credit_for_each_tile<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %inbox = tile.alloc [%M] : memref<?xf32, #tile.symmetric>
  %sent = tile.signals [%M ceildiv 64] : !tile.signals<1>
  %consumed = tile.signals [%M ceildiv 64] : !tile.signals<1>
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.kernel @k {
    tile.role @send {
      tile.forall (%i) in [%M ceildiv 64] {
        %free = tile.wait system %consumed[%i] lag 1 : !tile.signals<1>
        %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
        %stored = tile.store %t, %inbox[%i] to %peer after %free : tensor<64xf32>, memref<?xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%i] to %peer publishes %stored : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%i) in [%M ceildiv 64] {
        %arrived = tile.wait system %sent[%i] : !tile.signals<1>
        %t = tile.load %inbox[%i] tile [64] after %arrived : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
        tile.signal system %consumed[%i] to %peer : !tile.signals<1>
      }
    }
  }
}

// -----

// The same number of tiles, but rows of another length: the credit of one tile says nothing of what lies there now.
// CHECK: error: data race when extents change: write of '%inbox' on rank 1, by task (0) of role @send on rank 0 in a launch with M=40, is not ordered after the read by task (1) of role @receive on rank 1 in a launch with M=200, 1 launch earlier
// CHECK: note: the extents lay out the buffer anew: any two of its elements may lie at one address
// CHECK: note: the read is here
tile.program @rows_of_another_length<%M>(%a: memref<64x?xf32>, %b: memref<64x?xf32>) extents [%a: 64, %M] [%b: 64, %M] {
  %inbox = tile.alloc [64, %M] : memref<64x?xf32, #tile.symmetric>
  %sent = tile.signals [2] : !tile.signals<1>
  %consumed = tile.signals [2] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.kernel @k {
    tile.role @send {
      tile.forall (%i) in [2] {
        %free = tile.wait system %consumed[%i] lag 1 : !tile.signals<1>
        %t = tile.load %a[%i, %zero] tile [32, 256] : memref<64x?xf32> -> tensor<32x256xf32>
        %stored = tile.store %t, %inbox[%i, %zero] to %peer after %free : tensor<32x256xf32>, memref<64x?xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%i] to %peer publishes %stored : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%i) in [2] {
        %arrived = tile.wait system %sent[%i] : !tile.signals<1>
        %t = tile.load %inbox[%i, %zero] tile [32, 256] after %arrived : memref<64x?xf32, #tile.symmetric> -> tensor<32x256xf32>
        tile.store %t, %b[%i, %zero] : tensor<32x256xf32>, memref<64x?xf32>
        tile.signal system %consumed[%i] to %peer : !tile.signals<1>
      }
    }
  }
}

// -----

// One credit for the launch holds whatever the extents were.
tile.program @credit_for_the_launch<%M>(%a: memref<64x?xf32>, %b: memref<64x?xf32>) extents [%a: 64, %M] [%b: 64, %M] {
  %inbox = tile.alloc [64, %M] : memref<64x?xf32, #tile.symmetric>
  %sent = tile.signals [2] : !tile.signals<1>
  %consumed = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.kernel @k {
    tile.role @send {
      %free = tile.wait system %consumed[%zero] lag 1 : !tile.signals<1>
      tile.forall (%i) in [2] {
        %t = tile.load %a[%i, %zero] tile [32, 256] : memref<64x?xf32> -> tensor<32x256xf32>
        %stored = tile.store %t, %inbox[%i, %zero] to %peer after %free : tensor<32x256xf32>, memref<64x?xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%i] to %peer publishes %stored : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%i) in [2] {
        %arrived = tile.wait system %sent[%i] : !tile.signals<1>
        %t = tile.load %inbox[%i, %zero] tile [32, 256] after %arrived : memref<64x?xf32, #tile.symmetric> -> tensor<32x256xf32>
        tile.store %t, %b[%i, %zero] : tensor<32x256xf32>, memref<64x?xf32>
      }
    }
    tile.role @leave last {
      tile.signal system %consumed[%zero] to %peer : !tile.signals<1>
    }
  }
}

// -----

// Tiles are the only news of a peer, and a launch without tiles brings none: a rank may pass such launches while its peer still reads.
// CHECK: error: data race when extents change: write of '%inbox' on rank {{[01]}}, by task (0) of role @send on rank {{[01]}} in a launch with M=200, is not ordered after the read by task (0) of role @receive on rank {{[01]}} in a launch with M=200, 2 launches earlier
tile.program @two_copies_and_a_launch_without_tiles<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %inbox = tile.alloc [%M] {copies = 2} : memref<?xf32, #tile.symmetric>
  %sent = tile.signals [%M floordiv 64] : !tile.signals<1>
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.kernel @k {
    tile.role @send {
      tile.forall (%i) in [%M floordiv 64] {
        %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
        %stored = tile.store %t, %inbox[%i] to %peer : tensor<64xf32>, memref<?xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%i] to %peer publishes %stored : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%i) in [%M floordiv 64] {
        %arrived = tile.wait system %sent[%i] : !tile.signals<1>
        %t = tile.load %inbox[%i] tile [64] after %arrived : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
      }
    }
  }
}

// -----

// Peers have begun each launch before anything is written, so that no two launches meet in scratch. A launch without tiles gives no credit nevertheless.
// CHECK: error: waits for [0] of rank {{[01]}}, which nothing raises, in task (0) of role @send on rank {{[01]}} in a launch with M=200
tile.program @credit_of_the_first_tile<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %inbox = tile.alloc [%M] : memref<?xf32, #tile.symmetric>
  %entered = tile.signals [1] : !tile.signals<1>
  %sent = tile.signals [%M floordiv 64] : !tile.signals<1>
  %consumed = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.kernel @k {
    tile.role @enter first {
      tile.signal system %entered[%zero] to %peer : !tile.signals<1>
    }
    tile.role @send {
      tile.forall (%i) in [%M floordiv 64] {
        %begun = tile.wait system %entered[%zero] : !tile.signals<1>
        %free = tile.wait system %consumed[%zero] lag 1 : !tile.signals<1>
        %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
        %stored = tile.store %t, %inbox[%i] to %peer after %begun, %free : tensor<64xf32>, memref<?xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%i] to %peer publishes %stored : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%i) in [%M floordiv 64] {
        %arrived = tile.wait system %sent[%i] : !tile.signals<1>
        %t = tile.load %inbox[%i] tile [64] after %arrived : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
        %is_first = arith.cmpi eq, %i, %zero : index
        scf.if %is_first {
          tile.signal system %consumed[%zero] to %peer : !tile.signals<1>
        }
      }
    }
  }
}

// -----

// The same with a credit for each tile, of which a smaller launch gives fewer.
// CHECK: error: waits for [1] of rank {{[01]}}, which nothing raises, in task (1) of role @send on rank {{[01]}} in a launch with M=200
tile.program @credit_of_each_tile_behind_the_entry<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %inbox = tile.alloc [%M] : memref<?xf32, #tile.symmetric>
  %entered = tile.signals [1] : !tile.signals<1>
  %sent = tile.signals [%M ceildiv 64] : !tile.signals<1>
  %consumed = tile.signals [%M ceildiv 64] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  %peer = arith.subi %one, %rank : index
  tile.kernel @k {
    tile.role @enter first {
      tile.signal system %entered[%zero] to %peer : !tile.signals<1>
    }
    tile.role @send {
      tile.forall (%i) in [%M ceildiv 64] {
        %begun = tile.wait system %entered[%zero] : !tile.signals<1>
        %free = tile.wait system %consumed[%i] lag 1 : !tile.signals<1>
        %t = tile.load %a[%i] tile [64] : memref<?xf32> -> tensor<64xf32>
        %stored = tile.store %t, %inbox[%i] to %peer after %begun, %free : tensor<64xf32>, memref<?xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%i] to %peer publishes %stored : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%i) in [%M ceildiv 64] {
        %arrived = tile.wait system %sent[%i] : !tile.signals<1>
        %t = tile.load %inbox[%i] tile [64] after %arrived : memref<?xf32, #tile.symmetric> -> tensor<64xf32>
        tile.store %t, %b[%i] : tensor<64xf32>, memref<?xf32>
        tile.signal system %consumed[%i] to %peer : !tile.signals<1>
      }
    }
  }
}
