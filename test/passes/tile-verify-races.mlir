// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize,tile-verify))' --split-input-file --verify-diagnostics

// A load that names no wait.
tile.program @no_token(%a: memref<64xf32>) world 2 {
  %inbox = tile.alloc [64] {copies = 2} : memref<64xf32, #tile.symmetric>
  %sent = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  %next = arith.subi %one, %rank : index
  tile.kernel @k {
    tile.role @send {
      tile.forall (%i) in [1] {
        %t = tile.load %a[%i] tile [64] : memref<64xf32> -> tensor<64xf32>
        // expected-note @below {{the write is here}}
        %stored = tile.store %t, %inbox[%i] to %next : tensor<64xf32>, memref<64xf32, #tile.symmetric> -> !tile.token
        // expected-note @below {{the signal is here}}
        tile.signal system %sent[%zero] to %next publishes %stored : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%i) in [1] {
        %arrived = tile.wait system %sent[%zero] : !tile.signals<1>
        // expected-error @below {{data race: read of element [0] of a buffer on rank 0, by task (0) of role @receive on rank 0, is not ordered after the write by task (0) of role @send on rank 1: it names no wait, expected one for the signal [0] of rank 0}}
        %t = tile.load %inbox[%i] tile [64] : memref<64xf32, #tile.symmetric> -> tensor<64xf32>
      }
    }
  }
}

// -----

// A signal that publishes nothing.
tile.program @not_published(%a: memref<64xf32>) world 2 {
  %inbox = tile.alloc [64] {copies = 2} : memref<64xf32, #tile.symmetric>
  %sent = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  %next = arith.subi %one, %rank : index
  tile.kernel @k {
    tile.role @send {
      tile.forall (%i) in [1] {
        %t = tile.load %a[%i] tile [64] : memref<64xf32> -> tensor<64xf32>
        // expected-note @below {{the write is here}}
        tile.store %t, %inbox[%i] to %next : tensor<64xf32>, memref<64xf32, #tile.symmetric>
        tile.signal system %sent[%zero] to %next : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%i) in [1] {
        %arrived = tile.wait system %sent[%zero] : !tile.signals<1>
        // expected-error @below {{is not ordered after the write by task (0) of role @send on rank 1: no signal publishes the write}}
        %t = tile.load %inbox[%i] tile [64] after %arrived : memref<64xf32, #tile.symmetric> -> tensor<64xf32>
      }
    }
  }
}

// -----

// Exchange with one copy and no credits: a rank overwrites what a slower peer still reads.
tile.program @exchange_one_copy(%a: memref<64xf32>) world 3 {
  %inbox = tile.alloc [3, 64] : memref<3x64xf32, #tile.symmetric>
  %sent = tile.signals [3] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %rank = tile.rank
  tile.kernel @k {
    tile.role @send {
      tile.forall (%to) in [3] {
        %t = tile.load %a[%zero] tile [64] : memref<64xf32> -> tensor<64xf32>
        // expected-error @below {{data race: write of element [0, 0] of a buffer on rank 1, by task (1) of role @send on rank 0, is not ordered after the read by task (0) of role @receive on rank 1, 1 launch earlier: no signal follows the read}}
        %stored = tile.store %t, %inbox[%rank, %zero] to %to : tensor<64xf32>, memref<3x64xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%rank] to %to publishes %stored : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%from) in [3] {
        %arrived = tile.wait system %sent[%from] : !tile.signals<1>
        // expected-note @below {{the read is here}}
        %t = tile.load %inbox[%from, %zero] tile [64] after %arrived : memref<3x64xf32, #tile.symmetric> -> tensor<64xf32>
      }
    }
  }
}

// -----

// Around a ring of three, two copies are not enough: the race is two launches apart.
tile.program @shift_of_three(%a: memref<64xf32>) world 3 {
  %inbox = tile.alloc [64] {copies = 2} : memref<64xf32, #tile.symmetric>
  %sent = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %rank = tile.rank
  %after = arith.addi %rank, %one : index
  %next = arith.remui %after, %three : index
  tile.kernel @k {
    tile.role @send {
      tile.forall (%i) in [1] {
        %t = tile.load %a[%i] tile [64] : memref<64xf32> -> tensor<64xf32>
        // expected-error @below {{is not ordered after the read by task (0) of role @receive on rank 1, 2 launches earlier}}
        %stored = tile.store %t, %inbox[%i] to %next : tensor<64xf32>, memref<64xf32, #tile.symmetric> -> !tile.token
        tile.signal system %sent[%zero] to %next publishes %stored : !tile.signals<1>
      }
    }
    tile.role @receive {
      tile.forall (%i) in [1] {
        %arrived = tile.wait system %sent[%zero] : !tile.signals<1>
        // expected-note @below {{the read is here}}
        %t = tile.load %inbox[%i] tile [64] after %arrived : memref<64xf32, #tile.symmetric> -> tensor<64xf32>
      }
    }
  }
}

// -----

// One word fed by all ranks: the arrival of one stands in for that of another.
tile.program @shared_word(%a: memref<64xf32>) world 3 {
  %slots = tile.alloc [3, 64] {copies = 2} : memref<3x64xf32, #tile.symmetric>
  %arrived = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %rank = tile.rank
  tile.kernel @k {
    tile.role @multiply {
      tile.forall (%to) in [3] {
        %t = tile.load %a[%zero] tile [64] : memref<64xf32> -> tensor<64xf32>
        // expected-note @below {{the write is here}}
        // expected-error @below {{is not ordered after the read by task (0) of role @reduce on rank 1, 2 launches earlier}}
        %stored = tile.store %t, %slots[%rank, %zero] to %to : tensor<64xf32>, memref<3x64xf32, #tile.symmetric> -> !tile.token
        // expected-note @below {{the signal is here}}
        // expected-note @below {{the signal of the next launch is here}}
        // expected-error @below {{may lower [0] of rank 0: this signal, by task (0) of role @multiply on rank 0, may come after that of the next launch by task (0) of role @multiply on rank 1}}
        tile.signal system %arrived[%zero] to %to publishes %stored : !tile.signals<1>
      }
    }
    tile.role @reduce {
      tile.forall (%i) in [1] {
        %all = tile.wait system %arrived[%zero] : !tile.signals<1>
        scf.for %from = %zero to %three step %one {
          // expected-note @below {{the read is here}}
          // expected-error @below {{none of the waits it names knows, expected the signal [0] of rank 0}}
          %t = tile.load %slots[%from, %zero] tile [64] after %all : memref<3x64xf32, #tile.symmetric> -> tensor<64xf32>
        }
      }
    }
  }
}

// -----

// Pull without `entered`.
// expected-note @below {{the application of rank 1 owns the argument until then}}
tile.program @no_entered(%a: memref<64xf32, #tile.symmetric>, %b: memref<2x64xf32>) world 2 {
  %done = tile.signals [2] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %rank = tile.rank
  tile.kernel @k {
    tile.role @gather {
      tile.forall (%from) in [2] {
        // expected-error @below {{data race: read of '%a' on rank 1, by task (1) of role @gather on rank 0, may come before that rank has entered the launch: no token it names knows of a signal of rank 1 in this launch}}
        %t = tile.load %a[%zero] tile [64] from %from : memref<64xf32, #tile.symmetric> -> tensor<64xf32>
        tile.store %t, %b[%from, %zero] : tensor<64xf32>, memref<2x64xf32>
      }
    }
    tile.role @leave last {
      scf.for %peer = %zero to %two step %one {
        tile.signal system %done[%rank] to %peer : !tile.signals<1>
      }
      %out = tile.wait system %done[%zero] count [%two] : !tile.signals<1>
    }
  }
}

// -----

// Pull without waiting for `done`.
// expected-note @below {{the application of rank 1 owns the argument from then on}}
tile.program @no_done(%a: memref<64xf32, #tile.symmetric>, %b: memref<2x64xf32>) world 2 {
  %entered = tile.signals [2] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %rank = tile.rank
  tile.kernel @k {
    tile.role @enter first {
      scf.for %peer = %zero to %two step %one {
        tile.signal system %entered[%rank] to %peer : !tile.signals<1>
      }
    }
    tile.role @gather {
      tile.forall (%from) in [2] {
        %in = tile.wait system %entered[%from] : !tile.signals<1>
        // expected-error @below {{data race: read of '%a' on rank 1, by task (1) of role @gather on rank 0, may come after the launch has completed on that rank: no signal of the task covers it}}
        %t = tile.load %a[%zero] tile [64] from %from after %in : memref<64xf32, #tile.symmetric> -> tensor<64xf32>
        tile.store %t, %b[%from, %zero] : tensor<64xf32>, memref<2x64xf32>
      }
    }
  }
}

// -----

// All-scatter into an argument without `entered`; `done` is there, but nobody waits for it.
// expected-note @below {{the application of rank 1 owns the argument until then}}
// expected-note @below {{the application of rank 1 owns the argument from then on}}
tile.program @scatter(%a: memref<64xf32>, %c: memref<2x64xf32, #tile.symmetric>) world 2 {
  %done = tile.signals [2] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %rank = tile.rank
  tile.kernel @k {
    tile.role @scatter {
      tile.forall (%to) in [2] {
        %t = tile.load %a[%zero] tile [64] : memref<64xf32> -> tensor<64xf32>
        // expected-error @below {{data race: write of '%c' on rank 1, by task (1) of role @scatter on rank 0, may come before that rank has entered the launch}}
        // expected-error @below {{may come after the launch has completed on that rank: that rank does not wait for a signal that covers it}}
        %s = tile.store %t, %c[%rank, %zero] to %to : tensor<64xf32>, memref<2x64xf32, #tile.symmetric> -> !tile.token
        tile.signal system %done[%rank] to %to publishes %s : !tile.signals<1>
      }
    }
  }
}

// -----

// Two tasks of one role write one element: the second tile starts inside the first.
tile.program @overlap(%a: memref<64xf32>) world 1 {
  %x = tile.alloc [128] : memref<128xf32>
  tile.kernel @k {
    tile.role @write {
      tile.forall (%i) in [2] {
        %c32 = arith.constant 32 : index
        %at = arith.muli %i, %c32 : index
        %t = tile.splat 1.0 [64] : tensor<64xf32>
        // expected-error @below {{data race: write of element [32] of a buffer on rank 0, by task (1) of role @write on rank 0, is not ordered after the write by task (0) of role @write on rank 0: two tasks of one role write one element}}
        // expected-note @below {{the write is here}}
        tile.store %t, %x at (%at) : tensor<64xf32>, memref<128xf32>
      }
    }
  }
}

// -----

// Atomics of two kinds do not commute, and neither does a read commute with an atomic.
tile.program @atomics(%a: memref<64xf32>) world 1 {
  // expected-note @below {{scratch is undefined at the start of every launch}}
  %x = tile.alloc [64] : memref<64xf32>
  tile.kernel @k {
    tile.role @update {
      tile.forall (%i) in [1] {
        %t = tile.splat 1.0 [64] : tensor<64xf32>
        // expected-note @below {{the atomic update is here}}
        // expected-error @below {{accumulates into element [0] of scratch on rank 0, by task (0) of role @update on rank 0, which no store of the launch writes}}
        tile.atomic add %t, %x[%i] : tensor<64xf32>, memref<64xf32>
      }
    }
    tile.role @compare {
      tile.forall (%i) in [1] {
        %t = tile.splat 1.0 [64] : tensor<64xf32>
        // expected-error @below {{accumulates into element [0] of a buffer on rank 0, by task (0) of role @compare on rank 0, before any store of the launch}}
        // expected-error @below {{data race: atomic update of element [0] of a buffer on rank 0, by task (0) of role @compare on rank 0, is not ordered after the atomic update by task (0) of role @update on rank 0: no signal publishes the atomic update}}
        tile.atomic maximum %t, %x[%i] : tensor<64xf32>, memref<64xf32>
      }
    }
  }
}

// -----

// Program order orders one element only: the second store's token says nothing of the first.
tile.program @other_element(%a: memref<64xf32>) world 1 {
  %x = tile.alloc [2, 64] : memref<2x64xf32>
  %ready = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  tile.kernel @k {
    tile.role @write {
      tile.forall (%i) in [1] {
        %t = tile.splat 1.0 [64] : tensor<64xf32>
        // expected-note @below {{the write is here}}
        tile.store %t, %x[%zero, %zero] : tensor<64xf32>, memref<2x64xf32>
        %s = tile.store %t, %x[%one, %zero] : tensor<64xf32>, memref<2x64xf32> -> !tile.token
        tile.signal agent %ready[%zero] to %rank publishes %s : !tile.signals<1>
      }
    }
    tile.role @read {
      tile.forall (%i) in [2] {
        %r = tile.wait agent %ready[%zero] : !tile.signals<1>
        // expected-error @below {{no signal publishes the write}}
        %t = tile.load %x[%i, %zero] tile [64] after %r : memref<2x64xf32> -> tensor<64xf32>
      }
    }
  }
}

// -----

// A prologue that stores is run by every workgroup of its role.
tile.program @prologue(%a: memref<64xf32>) world 1 {
  %x = tile.alloc [64] : memref<64xf32>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @write {
      %t = tile.splat 1.0 [64] : tensor<64xf32>
      // expected-error @below {{data race: write of element [0] of a buffer on rank 0, by role @write on rank 0, is not ordered after the write by role @write on rank 0}}
      // expected-note @below {{the write is here}}
      tile.store %t, %x[%zero] : tensor<64xf32>, memref<64xf32>
    }
  }
}

// -----

// Whoever has finished with a group goes on to the later ones: what stands before the tasks of a role with one workgroup
// is run by the workgroups of the groups before it as well.
tile.program @once_by_everybody(%a: memref<64xf32>) world 1 {
  %x = tile.alloc [64] : memref<64xf32>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @earlier {
    }
    tile.role @prepare on 1 workgroups {
      %v = tile.splat 1.0 [64] : tensor<64xf32>
      // expected-note @below {{the write is here}}
      // expected-error @below {{data race: write of element [0] of a buffer on rank 0, by role @prepare on rank 0, is not ordered after the write by role @prepare on rank 0}}
      tile.store %v, %x[%zero] : tensor<64xf32>, memref<64xf32>
    }
  }
}

// -----

// The only role of a kernel is everybody's, whatever number of workgroups it asks for.
tile.program @alone_in_its_kernel(%a: memref<64xf32>) world 1 {
  %x = tile.alloc [64] : memref<64xf32>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @prepare on 1 workgroups {
      %v = tile.splat 1.0 [64] : tensor<64xf32>
      // expected-note @below {{the write is here}}
      // expected-error @below {{data race: write of element [0] of a buffer on rank 0, by role @prepare on rank 0, is not ordered after the write by role @prepare on rank 0}}
      tile.store %v, %x[%zero] : tensor<64xf32>, memref<64xf32>
    }
  }
}

// -----

// With another role behind it, one workgroup alone runs it.
tile.program @one_workgroup_before_others(%a: memref<64xf32>) world 1 {
  %x = tile.alloc [64] : memref<64xf32>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @prepare on 1 workgroups {
      %v = tile.splat 1.0 [64] : tensor<64xf32>
      tile.store %v, %x[%zero] : tensor<64xf32>, memref<64xf32>
    }
    tile.role @other {
    }
  }
}

// -----

// The steps of a loop are checked as one read of the panel: its last tile, which no signal publishes, is found.
tile.program @panel_partly_published(%a: memref<64xf32>) world 1 {
  %x = tile.alloc [256] : memref<256xf32>
  %word = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  tile.kernel @k {
    tile.role @write {
      tile.forall (%i) in [1] {
        %v = tile.splat 1.0 [64] : tensor<64xf32>
        %none = tile.join()
        %stored = scf.for %k = %zero to %three step %one iter_args(%before = %none) -> (!tile.token) {
          %s = tile.store %v, %x[%k] : tensor<64xf32>, memref<256xf32> -> !tile.token
          %both = tile.join(%before, %s)
          scf.yield %both : !tile.token
        }
        // expected-note @below {{the write is here}}
        tile.store %v, %x[%three] : tensor<64xf32>, memref<256xf32>
        tile.signal agent %word[%i] to %zero publishes %stored : !tile.signals<1>
      }
    }
    tile.role @read {
      tile.forall (%i) in [1] {
        %w = tile.wait agent %word[%i] : !tile.signals<1>
        scf.for %k = %zero to %four step %one {
          // expected-error @below {{data race: read of element [192] of a buffer on rank 0, by task (0) of role @read on rank 0, is not ordered after the write by task (0) of role @write on rank 0: no signal publishes the write}}
          %t = tile.load %x[%k] tile [64] after %w : memref<256xf32> -> tensor<64xf32>
        }
      }
    }
  }
}

// -----

// A store that comes after the read writes it too late, though it is of the same launch: a sum that is cleared behind.
tile.program @cleared_behind(%a: memref<64xf32>, %b: memref<64xf32>) world 1 {
  // expected-note @below {{scratch is undefined at the start of every launch}}
  %sum = tile.alloc [64] : memref<64xf32>
  %zero = arith.constant 0 : index
  tile.kernel @add {
    tile.role @add {
      tile.forall (%i) in [1] {
        %t = tile.load %a[%zero] tile [64] : memref<64xf32> -> tensor<64xf32>
        // expected-error @below {{accumulates into element [0] of a buffer on rank 0, by task (0) of role @add on rank 0, before any store of the launch}}
        tile.atomic add %t, %sum[%zero] : tensor<64xf32>, memref<64xf32>
      }
    }
  }
  tile.kernel @finish {
    tile.role @finish {
      tile.forall (%i) in [1] {
        // expected-error @below {{reads element [0] of a buffer on rank 0, by task (0) of role @finish on rank 0, before any store of the launch}}
        %t = tile.load %sum[%zero] tile [64] : memref<64xf32> -> tensor<64xf32>
        tile.store %t, %b[%zero] : tensor<64xf32>, memref<64xf32>
        %clear = tile.splat 0.0 [64] : tensor<64xf32>
        tile.store %clear, %sum[%zero] : tensor<64xf32>, memref<64xf32>
      }
    }
  }
}

// -----

// Persistent scratch is zero before the first launch, and then what the launch before has left.
tile.program @running_total(%a: memref<64xf32>) world 1 {
  %sum = tile.alloc persistent [64] : memref<64xf32>
  %zero = arith.constant 0 : index
  tile.kernel @add {
    tile.role @add {
      tile.forall (%i) in [1] {
        %t = tile.load %a[%zero] tile [64] : memref<64xf32> -> tensor<64xf32>
        %s = tile.load %sum[%zero] tile [64] : memref<64xf32> -> tensor<64xf32>
        %u = arith.addf %s, %t : tensor<64xf32>
        tile.store %u, %sum[%zero] : tensor<64xf32>, memref<64xf32>
      }
    }
  }
}

// -----

// The text computes unsigned operations as signed ones: an index of -1 would be another than the author's.
tile.program @below_zero(%a: memref<64xf32>, %b: memref<256xf32>) world 1 {
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  tile.kernel @k {
    tile.role @copy {
      tile.forall (%i) in [4] {
        %before = arith.subi %i, %one : index
        // expected-error @below {{unsigned arithmetic on the index -1, in task (0) of role @copy on rank 0: expected no negative operand, which the text would take for a signed one}}
        %j = arith.remui %before, %four : index
        %t = tile.load %a at (%i) tile [1] : memref<64xf32> -> tensor<1xf32>
        tile.store %t, %b at (%i) : tensor<1xf32>, memref<256xf32>
      }
    }
  }
}
