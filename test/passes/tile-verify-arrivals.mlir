// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-specialize,tile-verify))' --split-input-file --verify-diagnostics

// What the last of four does comes behind all of them, whoever it is.
tile.program @sums<%M>(%a: memref<4x?x64xf32>, %c: memref<?x64xf32>) world 2 extents [%a: 4, %M, 64] [%c: %M, 64] {
  %parts = tile.alloc [4, %M, 64] : memref<4x?x64xf32>
  %done = tile.signals [%M ceildiv 64] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  tile.kernel @sums {
    tile.role @scale {
      tile.forall (%p, %m) in [4, %M ceildiv 64] {
        %t = tile.load %a[%p, %m, %zero] tile [64, 64] : memref<4x?x64xf32> -> tensor<64x64xf32>
        %stored = tile.store %t, %parts[%p, %m, %zero] : tensor<64x64xf32>, memref<4x?x64xf32> -> !tile.token
        %last, %all = tile.arrive %done[%m] of %four publishes %stored : !tile.signals<1>
        scf.if %last {
          %sum = tile.load %parts[%zero, %m, %zero] tile [64, 64] after %all : memref<4x?x64xf32> -> tensor<64x64xf32>
          scf.for %q = %one to %four step %one {
            %u = tile.load %parts[%q, %m, %zero] tile [64, 64] after %all : memref<4x?x64xf32> -> tensor<64x64xf32>
          }
          tile.store %sum, %c[%m, %zero] : tensor<64x64xf32>, memref<?x64xf32>
        }
      }
    }
  }
}

// -----

// The token orders what it names, no less.
tile.program @no_token(%a: memref<4x64xf32>, %c: memref<64xf32>) world 1 {
  %parts = tile.alloc [4, 64] : memref<4x64xf32>
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  tile.kernel @k {
    tile.role @scale {
      tile.forall (%p) in [4] {
        %t = tile.load %a[%p, %zero] tile [64] : memref<4x64xf32> -> tensor<64xf32>
        // expected-note @below {{the write is here}}
        %stored = tile.store %t, %parts[%p, %zero] : tensor<64xf32>, memref<4x64xf32> -> !tile.token
        // expected-note @below {{the signal is here}}
        %last, %all = tile.arrive %done[%zero] of %four publishes %stored : !tile.signals<1>
        scf.if %last {
          // expected-error @below {{data race: read of}}
          %u = tile.load %parts[%zero, %zero] tile [64] : memref<4x64xf32> -> tensor<64xf32>
          tile.store %u, %c[%zero] : tensor<64xf32>, memref<64xf32>
        }
      }
    }
  }
}

// -----

tile.program @not_published(%a: memref<4x64xf32>, %c: memref<64xf32>) world 1 {
  %parts = tile.alloc [4, 64] : memref<4x64xf32>
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  tile.kernel @k {
    tile.role @scale {
      tile.forall (%p) in [4] {
        %t = tile.load %a[%p, %zero] tile [64] : memref<4x64xf32> -> tensor<64xf32>
        // expected-note @below {{the write is here}}
        %stored = tile.store %t, %parts[%p, %zero] : tensor<64xf32>, memref<4x64xf32> -> !tile.token
        %last, %all = tile.arrive %done[%zero] of %four : !tile.signals<1>
        scf.if %last {
          // expected-error @below {{no signal publishes the write}}
          %u = tile.load %parts[%zero, %zero] tile [64] after %all : memref<4x64xf32> -> tensor<64xf32>
          tile.store %u, %c[%zero] : tensor<64xf32>, memref<64xf32>
        }
      }
    }
  }
}

// -----

// One of three that come is never the fourth; of four that come two would be the last of two.
tile.program @too_few(%c: memref<64xf32>) world 1 {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%p) in [3] {
        // expected-error @below {{is one of 4 tasks that arrive at [0] of rank 0, of which 3 come: expected as many as it says}}
        %last, %all = tile.arrive %done[%zero] of %four : !tile.signals<1>
        scf.if %last {
        }
      }
    }
  }
}

// -----

tile.program @too_many(%c: memref<64xf32>) world 1 {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%p) in [4] {
        // expected-error @below {{is one of 2 tasks that arrive at [0] of rank 0, of which 4 come: expected as many as it says}}
        %last, %all = tile.arrive %done[%zero] of %two : !tile.signals<1>
        scf.if %last {
        }
      }
    }
  }
}

// -----

// Who is last is not known: it may not matter.
tile.program @its_own_part(%a: memref<4x64xf32>, %c: memref<4x64xf32>) world 1 {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%p) in [4] {
        // expected-error @below {{arrives at [0] of rank 0, where another task says something else to whoever comes last: expected all that arrive at a word to have alike what the last of them uses}}
        %last, %all = tile.arrive %done[%zero] of %four : !tile.signals<1>
        scf.if %last {
          %t = tile.load %a[%p, %zero] tile [64] : memref<4x64xf32> -> tensor<64xf32>
          tile.store %t, %c[%p, %zero] : tensor<64xf32>, memref<4x64xf32>
        }
      }
    }
  }
}

// -----

tile.program @another_number(%c: memref<64xf32>) world 1 {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%p) in [4] {
        %number = arith.addi %p, %one : index
        // expected-error @below {{arrives at [0] of rank 0, where another task says another number of tasks}}
        %last, %all = tile.arrive %done[%zero] of %number : !tile.signals<1>
        scf.if %last {
        }
      }
    }
  }
}

// -----

tile.program @its_own_tile(%a: memref<4x64xf32>, %c: memref<64xf32>) world 1 {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%p) in [4] {
        // expected-note @below {{it is made here}}
        %t = tile.load %a[%p, %zero] tile [64] : memref<4x64xf32> -> tensor<64xf32>
        // expected-error @below {{is the last of several tasks with a branch that uses what its own task has made, expected it to read from memory what all of them have stored}}
        %last, %all = tile.arrive %done[%zero] of %four : !tile.signals<1>
        scf.if %last {
          tile.store %t, %c[%zero] : tensor<64xf32>, memref<64xf32>
        }
      }
    }
  }
}

// -----

tile.program @beside_the_grid<%M>(%c: memref<64xf32>) world 1 {
  // expected-note @below {{the grid is declared here}}
  %done = tile.signals [2] : !tile.signals<1>
  %one = arith.constant 1 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%p) in [3] {
        // expected-error @below {{raises index 2 in dimension 0 of a grid of size 2}}
        %last, %all = tile.arrive %done[%p] of %one : !tile.signals<1>
        scf.if %last {
        }
      }
    }
  }
}

// -----

// What the last one writes others may not read behind their own arrival alone.
tile.program @nobody_knows(%c: memref<64xf32>, %d: memref<4x64xf32>) world 1 {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%p) in [4] {
        %last, %all = tile.arrive %done[%zero] of %four : !tile.signals<1>
        scf.if %last {
          %t = tile.splat 0.0 [64] : tensor<64xf32>
          // expected-note @below {{the write is here}}
          tile.store %t, %c[%zero] : tensor<64xf32>, memref<64xf32>
        }
      }
    }
    tile.role @s {
      tile.forall (%p) in [4] {
        // expected-error @below {{data race: read of}}
        %t = tile.load %c[%zero] tile [64] : memref<64xf32> -> tensor<64xf32>
        tile.store %t, %d[%p, %zero] : tensor<64xf32>, memref<4x64xf32>
      }
    }
  }
}

// -----

// A number that memory has may be another in the next launch.
tile.program @counted_by_data(%n: memref<1xi32>, %c: memref<64xf32>) world 1 {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%p) in [2] {
        %many = tile.read %n[%zero] upto %two : memref<1xi32>
        // expected-error @below {{is one of a number of tasks that is data, expected one that follows from the extents}}
        %last, %all = tile.arrive %done[%zero] of %many : !tile.signals<1>
        scf.if %last {
        }
      }
    }
  }
}

// -----

// Nor may it name the word.
tile.program @word_of_data(%n: memref<1xi32>, %c: memref<64xf32>) world 1 {
  %done = tile.signals [3] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%p) in [2] {
        %many = tile.read %n[%zero] upto %two : memref<1xi32>
        // expected-error @below {{arrives at a word that data names, expected one that follows from its task}}
        %last, %all = tile.arrive %done[%many] of %two : !tile.signals<1>
        scf.if %last {
        }
      }
    }
  }
}

// -----

// A word whose number is the sum of two that are one is followed once, not twice: this took forever.
tile.program @word_of_a_long_sum(%c: memref<64xf32>) world 1 {
  %done = tile.signals [1] : !tile.signals<1>
  %two = arith.constant 2 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%p) in [2] {
        %x0 = arith.divsi %p, %two : index
        %x1 = arith.addi %x0, %x0 : index
        %x2 = arith.addi %x1, %x1 : index
        %x3 = arith.addi %x2, %x2 : index
        %x4 = arith.addi %x3, %x3 : index
        %x5 = arith.addi %x4, %x4 : index
        %x6 = arith.addi %x5, %x5 : index
        %x7 = arith.addi %x6, %x6 : index
        %x8 = arith.addi %x7, %x7 : index
        %x9 = arith.addi %x8, %x8 : index
        %x10 = arith.addi %x9, %x9 : index
        %x11 = arith.addi %x10, %x10 : index
        %x12 = arith.addi %x11, %x11 : index
        %x13 = arith.addi %x12, %x12 : index
        %x14 = arith.addi %x13, %x13 : index
        %x15 = arith.addi %x14, %x14 : index
        %x16 = arith.addi %x15, %x15 : index
        %x17 = arith.addi %x16, %x16 : index
        %x18 = arith.addi %x17, %x17 : index
        %x19 = arith.addi %x18, %x18 : index
        %x20 = arith.addi %x19, %x19 : index
        %x21 = arith.addi %x20, %x20 : index
        %x22 = arith.addi %x21, %x21 : index
        %x23 = arith.addi %x22, %x22 : index
        %x24 = arith.addi %x23, %x23 : index
        %x25 = arith.addi %x24, %x24 : index
        %x26 = arith.addi %x25, %x25 : index
        %x27 = arith.addi %x26, %x26 : index
        %x28 = arith.addi %x27, %x27 : index
        %x29 = arith.addi %x28, %x28 : index
        %x30 = arith.addi %x29, %x29 : index
        %x31 = arith.addi %x30, %x30 : index
        %x32 = arith.addi %x31, %x31 : index
        %x33 = arith.addi %x32, %x32 : index
        %x34 = arith.addi %x33, %x33 : index
        %x35 = arith.addi %x34, %x34 : index
        %x36 = arith.addi %x35, %x35 : index
        %x37 = arith.addi %x36, %x36 : index
        %x38 = arith.addi %x37, %x37 : index
        %x39 = arith.addi %x38, %x38 : index
        %x40 = arith.addi %x39, %x39 : index
        %last, %all = tile.arrive %done[%x40] of %two : !tile.signals<1>
        scf.if %last {
        }
      }
    }
  }
}

// -----

// Elements that a trace draws the same number for: another launch finds 1 and 2 there, and whoever is last stores at his.
tile.program @last_uses_what_its_task_has_read(%n: memref<8xi32>, %a: memref<4x64xf32>, %c: memref<8x64xf32>) world 1 {
  %parts = tile.alloc [4, 64] : memref<4x64xf32>
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %seven = arith.constant 7 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%p) in [2] {
        %t = tile.load %a[%p, %zero] tile [64] : memref<4x64xf32> -> tensor<64xf32>
        %stored = tile.store %t, %parts[%p, %zero] : tensor<64xf32>, memref<4x64xf32> -> !tile.token
        %q = arith.addi %p, %four : index
        %to = tile.read %n[%q] upto %seven : memref<8xi32>
        // expected-error @below {{is the last of several tasks with a branch that uses a number which its own task has read, expected the branch to read it}}
        %last, %all = tile.arrive %done[%zero] of %two publishes %stored : !tile.signals<1>
        scf.if %last {
          %u = tile.load %parts[%zero, %zero] tile [64] after %all : memref<4x64xf32> -> tensor<64xf32>
          tile.store %u, %c[%to, %zero] : tensor<64xf32>, memref<8x64xf32>
        }
      }
    }
  }
}

// -----

// Nor may it carry that through a loop.
tile.program @last_uses_what_a_loop_has_read(%n: memref<8xi32>, %c: memref<8x64xf32>) world 1 {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %seven = arith.constant 7 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%p) in [2] {
        %to = scf.for %i = %zero to %two step %one iter_args(%most = %zero) -> (index) {
          %x = tile.read %n[%i] upto %seven : memref<8xi32>
          %more = arith.maxsi %x, %most : index
          scf.yield %more : index
        }
        // expected-error @below {{uses a number which its own task has read}}
        %last, %all = tile.arrive %done[%zero] of %two : !tile.signals<1>
        scf.if %last {
          %u = tile.splat 1.0 [64] : tensor<64xf32>
          tile.store %u, %c[%to, %zero] : tensor<64xf32>, memref<8x64xf32>
        }
      }
    }
  }
}

// -----

// What the branch reads is read once, by whoever is last.
tile.program @last_reads(%n: memref<8xi32>, %c: memref<8x64xf32>) world 1 {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %seven = arith.constant 7 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%p) in [2] {
        %last, %all = tile.arrive %done[%zero] of %two : !tile.signals<1>
        scf.if %last {
          %to = tile.read %n[%zero] upto %seven : memref<8xi32>
          %u = tile.splat 1.0 [64] : tensor<64xf32>
          tile.store %u, %c[%to, %zero] : tensor<64xf32>, memref<8x64xf32>
        }
      }
    }
  }
}

// -----

// Some tasks alone arrive: as many as it says.
tile.program @the_last_ones(%a: memref<6x64xf32>, %c: memref<4x64xf32>) world 1 {
  %parts = tile.alloc [4, 64] : memref<4x64xf32>
  %done = tile.signals [2] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%t) in [6] {
        %is_part = arith.cmpi sge, %t, %two : index
        %left = arith.subi %t, %two : index
        %behind = arith.maxsi %left, %zero : index
        %word = arith.remsi %behind, %two : index
        %x = tile.load %a[%t, %zero] tile [64] : memref<6x64xf32> -> tensor<64xf32>
        scf.if %is_part {
          %stored = tile.store %x, %parts[%behind, %zero] : tensor<64xf32>, memref<4x64xf32> -> !tile.token
          %last, %all = tile.arrive %done[%word] of %two publishes %stored : !tile.signals<1>
          scf.if %last {
            %other = arith.addi %word, %two : index
            %y = tile.load %parts[%word, %zero] tile [64] after %all : memref<4x64xf32> -> tensor<64xf32>
            %z = tile.load %parts[%other, %zero] tile [64] after %all : memref<4x64xf32> -> tensor<64xf32>
            %s = arith.addf %y, %z : tensor<64xf32>
            %row = arith.addi %word, %two : index
            tile.store %s, %c[%row, %zero] : tensor<64xf32>, memref<4x64xf32>
          }
        } else {
          tile.store %x, %c[%t, %zero] : tensor<64xf32>, memref<4x64xf32>
        }
      }
    }
  }
}

// -----

// What a task stores that does not arrive is not behind those that do.
tile.program @beside_the_last(%a: memref<6x64xf32>, %c: memref<4x64xf32>) world 1 {
  %done = tile.signals [2] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%t) in [6] {
        %is_part = arith.cmpi sge, %t, %two : index
        %left = arith.subi %t, %two : index
        %behind = arith.maxsi %left, %zero : index
        %word = arith.remsi %behind, %two : index
        %x = tile.load %a[%t, %zero] tile [64] : memref<6x64xf32> -> tensor<64xf32>
        scf.if %is_part {
          %last, %all = tile.arrive %done[%word] of %two : !tile.signals<1>
          scf.if %last {
            %y = tile.load %a[%word, %zero] tile [64] : memref<6x64xf32> -> tensor<64xf32>
            // expected-error @below {{data race: write of element [0, 0] of '%c' on rank 0, by what the last does of those that arrive with task (4) of role @r on rank 0, is not ordered after the write by task (0)}}
            tile.store %y, %c[%word, %zero] : tensor<64xf32>, memref<4x64xf32>
          }
        } else {
          // expected-note @below {{the write is here}}
          tile.store %x, %c[%t, %zero] : tensor<64xf32>, memref<4x64xf32>
        }
      }
    }
  }
}

// -----

// Fewer come than it says, as one of those that would is no part.
tile.program @one_too_few(%c: memref<64xf32>) world 1 {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%t) in [3] {
        %is_part = arith.cmpi sge, %t, %one : index
        scf.if %is_part {
          // expected-error @below {{is one of 3 tasks that arrive at [0] of rank 0, of which 2 come: expected as many as it says}}
          %last, %all = tile.arrive %done[%zero] of %three : !tile.signals<1>
          scf.if %last {
          }
        }
      }
    }
  }
}

// -----

// Who is last of others is not known: nor would be how many arrive.
tile.program @last_of_the_last(%c: memref<64xf32>) world 1 {
  %done = tile.signals [1] : !tile.signals<1>
  %again = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%t) in [2] {
        %last, %all = tile.arrive %done[%zero] of %two : !tile.signals<1>
        scf.if %last {
          // expected-error @below {{is done by the last of several tasks alone, expected it where a task arrives that follows from its number}}
          %really, %them = tile.arrive %again[%zero] of %one : !tile.signals<1>
          scf.if %really {
          }
        }
      }
    }
  }
}

// -----

// Nor where data says who arrives.
tile.program @as_data_says(%n: memref<2xi32>, %c: memref<64xf32>) world 1 {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%t) in [2] {
        %number = tile.read %n[%t] upto %two : memref<2xi32>
        %some = arith.cmpi sgt, %number, %zero : index
        scf.if %some {
          // expected-error @below {{is one of a number of tasks that is data, expected one that follows from the extents}}
          %last, %all = tile.arrive %done[%zero] of %two : !tile.signals<1>
          scf.if %last {
          }
        }
      }
    }
  }
}
