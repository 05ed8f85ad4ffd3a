// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize,tile-verify))' --split-input-file --verify-diagnostics

tile.program @unsatisfied(%a: memref<64xf32>) world 2 {
  // expected-note @below {{the grid is declared here}}
  %sent = tile.signals [2] : !tile.signals<1>
  %one = arith.constant 1 : index
  tile.kernel @k {
    tile.role @wait {
      tile.forall (%i) in [1] {
        // expected-error @below {{waits for [1] of rank 0, which nothing raises, in task (0) of role @wait on rank 0}}
        %t = tile.wait system %sent[%one] : !tile.signals<1>
      }
    }
    tile.role @signal {
      tile.forall (%i) in [1] {
        tile.signal system %sent[%i] to %i : !tile.signals<1>
      }
    }
  }
}

// -----

// Each rank waits for the other before it signals.
tile.program @cycle(%a: memref<64xf32>) world 2 {
  %sent = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  %other = arith.subi %one, %rank : index
  tile.kernel @k {
    tile.role @both {
      tile.forall (%i) in [1] {
        // expected-error @below {{deadlock: task (0) of role @both on rank 0 in launch 1 waits for [0] of rank 0}}
        // expected-note @below {{which waits: task (0) of role @both on rank 1 in launch 1 waits for [0] of rank 1}}
        %t = tile.wait system %sent[%zero] : !tile.signals<1>
        // expected-note @below {{which would be raised by task (0) of role @both on rank 0, behind the first of these waits}}
        tile.signal system %sent[%zero] to %other : !tile.signals<1>
      }
    }
  }
}

// -----

// A task waits for the `last` role, which waits for the task.
tile.program @last(%a: memref<64xf32>) world 1 {
  %over = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @wait {
      tile.forall (%i) in [1] {
        // expected-error @below {{deadlock: task (0) of role @wait on rank 0 in launch 1 waits for [0] of rank 0}}
        %t = tile.wait agent %over[%zero] : !tile.signals<1>
      }
    }
    tile.role @leave last {
      // expected-note @below {{which would be raised by role @leave on rank 0, behind the first of these waits}}
      tile.signal agent %over[%zero] to %zero : !tile.signals<1>
    }
  }
}

// -----

tile.program @bounds(%a: memref<64xf32>) world 2 {
  // expected-note @below {{the grid is declared here}}
  %sent = tile.signals [2] : !tile.signals<1>
  %two = arith.constant 2 : index
  %rank = tile.rank
  tile.kernel @k {
    tile.role @signal {
      tile.forall (%i) in [3] {
        // expected-error @below {{raises index 2 in dimension 0 of a grid of size 2, in task (2) of role @signal on rank 0}}
        tile.signal system %sent[%i] to %rank : !tile.signals<1>
      }
    }
    tile.role @wait {
      tile.forall (%i) in [2] {
        // expected-error @below {{waits for index 2 in dimension 0 of a grid of size 2, in task (1) of role @wait on rank 0}}
        %t = tile.wait system %sent[%i] count [%two] : !tile.signals<1>
      }
    }
  }
}

// -----

tile.program @world(%a: memref<64xf32, #tile.symmetric>) world 2 {
  %sent = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = tile.rank
  %next = arith.addi %rank, %one : index
  tile.kernel @k {
    tile.role @signal {
      tile.forall (%i) in [1] {
        // expected-error @below {{addresses rank 2 of a world of 2 ranks, by task (0) of role @signal on rank 1}}
        tile.signal system %sent[%zero] to %next : !tile.signals<1>
      }
    }
  }
}

// -----

tile.program @view(%a: memref<100xf32>) world 1 {
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @read {
      tile.forall (%i) in [2] {
        %c64 = arith.constant 64 : index
        %at = arith.muli %i, %c64 : index
        %v = memref.subview %a[%at] [64] [1] : memref<100xf32> to memref<64xf32, strided<[1], offset: ?>>
        // expected-error @below {{view reaches element 127 in dimension 0 of a buffer of size 100, in task (1) of role @read on rank 0}}
        %t = tile.load %v[%zero] tile [64] : memref<64xf32, strided<[1], offset: ?>> -> tensor<64xf32>
      }
    }
  }
}

// -----

// The XCD remap as it is often written drops tasks when the grid is no multiple of 8.
tile.program @naive_remap(%a: memref<64xf32>) world 1 {
  tile.kernel @k {
    tile.role @write {
      // expected-error @below {{order #tile.mapped<(d0) -> ((d0 mod 8) * 37 + d0 floordiv 8)> is no bijection of 300 tasks: task (296) is lost, task (148) is drawn twice}}
      tile.forall (%i) in [300] order [#tile.mapped<(d0) -> ((d0 mod 8) * 37 + d0 floordiv 8)>] {
      }
    }
  }
}

// -----

tile.program @map_outside(%a: memref<64xf32>) world 1 {
  tile.kernel @k {
    tile.role @write {
      // expected-error @below {{is no bijection of 8 tasks: task (0) is lost, a number outside the grid is drawn}}
      tile.forall (%i) in [8] order [#tile.mapped<(d0) -> (d0 + 1)>] {
      }
    }
  }
}

// -----

tile.program @map_results(%a: memref<64xf32>) world 1 {
  tile.kernel @k {
    tile.role @write {
      // expected-error @below {{order #tile.mapped<(d0) -> (d0, d0, d0)> maps 1 inputs to 3 results, expected 1 to 1 or to the 2 indices of the grid}}
      tile.forall (%i, %j) in [8, 8] order [#tile.mapped<(d0) -> (d0, d0, d0)>] {
      }
    }
  }
}

// -----

tile.program @bare(%a: memref<64xf32>) world 1 {
  // expected-error @below {{statement stands outside a 'tile.kernel': 'tile-verify' expects the kernel form}}
  tile.forall (%i) in [1] {
  }
}

// -----

tile.program @behind(%a: memref<64xf32>) world 1 {
  %sent = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @write {
      // expected-note @below {{the tasks of the role are here}}
      tile.forall (%i) in [8] {
      }
      // expected-error @below {{follows the 'tile.forall' of its role, expected it to come before}}
      tile.signal agent %sent[%zero] to %zero : !tile.signals<1>
    }
  }
}

// -----

tile.program @data(%a: memref<8xi32>) world 1 {
  %sent = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @write {
      tile.forall (%i) in [8] {
        %f = arith.constant 0.5 : f32
        %v = arith.fptosi %f : f32 to i32
        // expected-note @below {{this value is not known before the program runs}}
        %at = arith.index_cast %v : i32 to index
        // expected-error @below {{signal index depends on data, expected a function of ranks, extents and indices}}
        tile.signal agent %sent[%at] to %zero : !tile.signals<1>
      }
    }
  }
}

// -----

tile.program @shared_view(%a: memref<8x8xf32>) world 1 {
  tile.kernel @k {
    tile.role @read {
      %v = tile.shared_buffer at 128 : memref<8x8xf32, #tile.shared<1, 1, 1>>
      // expected-error @below {{names no argument, no alloc and no view of one}}
      %w = memref.subview %v[0, 0] [4, 8] [1, 1] : memref<8x8xf32, #tile.shared<1, 1, 1>> to memref<4x8xf32, strided<[8, 1]>, #tile.shared<1, 1, 1>>
    }
  }
}

// -----

tile.program @over_shared(%a: memref<8x8xf32>) world 1 {
  tile.kernel @k {
    tile.role @read {
      %v = tile.shared_buffer at 128 : memref<8x8xf32, #tile.shared<1, 1, 1>>
      // expected-error @below {{names no argument, no alloc and no view of one}}
      tile.forall (%i, %j) over %v tiles [4, 4] : memref<8x8xf32, #tile.shared<1, 1, 1>> {
      }
    }
  }
}

// -----

tile.program @division(%a: memref<8xf32>) world 1 {
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @write {
      tile.forall (%i) in [8] {
        // expected-error @below {{an index expression divides by zero, in task (0) of role @write on rank 0}}
        %at = arith.remsi %i, %zero : index
        %t = tile.load %a[%at] tile [1] : memref<8xf32> -> tensor<1xf32>
      }
    }
  }
}

// -----

// expected-error @below {{a loop has step 0, expected at least 1}}
tile.program @step(%a: memref<8xf32>) world 1 {
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @write {
      tile.forall (%i) in [1] {
        scf.for %k = %zero to %i step %i {
        }
      }
    }
  }
}

// -----

tile.program @sizes(%a: memref<8xf32>) world 2 {
  %rank = tile.rank
  // expected-error @below {{size differs between rank 0 and rank 1}}
  %x = tile.alloc [1 + %rank] : memref<?xf32, #tile.symmetric>
}

// -----

// Two ranks raise a word in launches that nothing orders: the late one takes back the epoch of the next.
tile.program @lowered(%a: memref<8xf32>) world 2 {
  %word = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @raise {
      tile.forall (%i) in [1] {
        // expected-note @below {{the signal of the next launch is here}}
        // expected-error @below {{may lower [0] of rank 0: this signal, by task (0) of role @raise on rank 0, may come after that of the next launch by task (0) of role @raise on rank 1}}
        tile.signal system %word[%zero] to %zero : !tile.signals<1>
      }
    }
  }
}

// -----

// The only workgroup of a role holds a task that waits for a later one of the role.
tile.program @hangs(%a: memref<8xf32>) world 1 {
  %ready = tile.signals [2] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.kernel @k {
    tile.role @chain on 1 workgroups {
      tile.forall (%i) in [2] {
        %first = arith.cmpi eq, %i, %zero : index
        scf.if %first {
          // expected-error @below {{hangs with any number of resident workgroups: this wait, in task (0) of role @chain on rank 0, holds a workgroup for which its role has no substitute}}
          %t = tile.wait agent %ready[%one] : !tile.signals<1>
        }
        // expected-note @below {{it waits for this signal}}
        tile.signal agent %ready[%i] to %zero : !tile.signals<1>
      }
    }
    tile.role @other {
    }
  }
}

// -----

// In the first three launches the wait is satisfied for nothing; there have to be more.
tile.program @lag_beyond_copies(%a: memref<8xf32>) world 1 {
  // expected-note @below {{the grid is declared here}}
  %word = tile.signals [1] : !tile.signals<1>
  tile.kernel @k {
    tile.role @wait {
      tile.forall (%i) in [1] {
        // expected-error @below {{waits for [0] of rank 0, which nothing raises, in task (0) of role @wait on rank 0}}
        %t = tile.wait agent %word[%i] lag 3 : !tile.signals<1>
      }
    }
  }
}

// -----

// The checker crashed on elements that all lie on one, and saw none where they go backwards.
tile.program @step_of_zero(%a: memref<64xf32>) world 1 {
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @read {
      tile.forall (%i) in [1] {
        %v = memref.subview %a[0] [64] [%zero] : memref<64xf32> to memref<64xf32, strided<[?]>>
        // expected-error @below {{view steps by 0 in dimension 0, expected 1 or more, in task (0) of role @read on rank 0}}
        %t = tile.load %v[%i] tile [64] : memref<64xf32, strided<[?]>> -> tensor<64xf32>
      }
    }
  }
}

// -----

tile.program @step_backwards(%a: memref<64xf32>) world 1 {
  %last = arith.constant 63 : index
  %minus = arith.constant -1 : index
  tile.kernel @k {
    tile.role @read {
      tile.forall (%i) in [1] {
        %v = memref.subview %a[%last] [64] [%minus] : memref<64xf32> to memref<64xf32, strided<[?], offset: ?>>
        // expected-error @below {{view steps by -1 in dimension 0, expected 1 or more, in task (0) of role @read on rank 0}}
        %t = tile.load %v[%i] tile [64] : memref<64xf32, strided<[?], offset: ?>> -> tensor<64xf32>
      }
    }
  }
}

// -----

// Whoever holds task 0 may be behind the workgroup that waits for it, or be that workgroup.
tile.program @dealt(%a: memref<256xf32>, %b: memref<256xf32>) world 1 {
  %ready = tile.signals [4] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @k attributes {dealing = #tile<dealing strided>} {
    tile.role @pass {
      tile.forall (%i) in [4] {
        // expected-note @below {{the signal is here}}
        tile.signal agent %ready[%i] to %zero : !tile.signals<1>
        // expected-error @below {{waits for a task that another workgroup may have behind this one, since the tasks of this kernel are dealt out by number: expected the dealing 'ticketed'}}
        %first = tile.wait agent %ready[%zero] : !tile.signals<1>
        %t = tile.load %a[%i] tile [64] : memref<256xf32> -> tensor<64xf32>
        tile.store %t, %b[%i] after %first : tensor<64xf32>, memref<256xf32>
      }
    }
  }
}
