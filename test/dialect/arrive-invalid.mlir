// RUN: tilec-opt %s --split-input-file --verify-diagnostics

tile.program @nowhere() {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{stands in a loop, or outside of tasks, expected it in the body of a 'tile.forall'}}
  %last, %all = tile.arrive %done[%zero] of %one : !tile.signals<1>
}

// -----

tile.program @in_a_loop() {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [2] {
        scf.for %j = %zero to %one step %one {
          // expected-error @below {{stands in a loop, or outside of tasks, expected it in the body of a 'tile.forall'}}
          %last, %all = tile.arrive %done[%zero] of %one : !tile.signals<1>
          scf.if %last {
          }
        }
      }
    }
  }
}

// -----

tile.program @nobody_asks() {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [2] {
        // expected-error @below {{expected one 'scf.if' without results and 'else', and with something in it, that asks who is last}}
        %last, %all = tile.arrive %done[%zero] of %two : !tile.signals<1>
      }
    }
  }
}

// -----

tile.program @others_too(%a: memref<64xf32>) {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [2] {
        // expected-error @below {{expected one 'scf.if' without results and 'else', and with something in it, that asks who is last}}
        %last, %all = tile.arrive %done[%zero] of %two : !tile.signals<1>
        // expected-note @below {{because of this}}
        scf.if %last {
        } else {
          %t = tile.load %a[%zero] tile [64] : memref<64xf32> -> tensor<64xf32>
        }
      }
    }
  }
}

// -----

tile.program @goes_on(%a: memref<64xf32>) {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [2] {
        // expected-error @below {{expected nothing but the branch for the last at the end of the task}}
        %last, %all = tile.arrive %done[%zero] of %two : !tile.signals<1>
        scf.if %last {
        }
        // expected-note @below {{because of this}}
        %t = tile.load %a[%zero] tile [64] : memref<64xf32> -> tensor<64xf32>
      }
    }
  }
}

// -----

tile.program @before_the_branch(%a: memref<64xf32>) {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [2] {
        // expected-error @below {{makes a token for its branch alone}}
        %last, %all = tile.arrive %done[%zero] of %two : !tile.signals<1>
        // expected-note @below {{because of this}}
        %both = tile.join(%all)
        scf.if %last {
        }
      }
    }
  }
}

// -----

tile.program @nothing_stored() {
  %done = tile.signals [1] : !tile.signals<1>
  %sent = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [2] {
        // expected-note @below {{the wait is here}}
        %there = tile.wait agent %sent[%zero] : !tile.signals<1>
        // expected-error @below {{publishes a wait, expected the tokens of stores}}
        %last, %all = tile.arrive %done[%zero] of %two publishes %there : !tile.signals<1>
        scf.if %last {
        }
      }
    }
  }
}

// -----

tile.program @by_wave() {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  // expected-note @below {{the kernel is here}}
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      tile.forall (%i) in [2] {
        // expected-error @below {{by wave would be counted before the other waves have stored, expected a kernel with 'waves = 1'}}
        %last, %all = tile.arrive by wave %done[%zero] of %two : !tile.signals<1>
        scf.if %last {
        }
      }
    }
  }
}

// -----

tile.program @of_none() {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [2] {
        // expected-error @below {{is one of 0 tasks, expected at least 1}}
        %last, %all = tile.arrive %done[%zero] of %zero : !tile.signals<1>
        scf.if %last {
        }
      }
    }
  }
}

// -----

tile.program @signals_too() {
  %done = tile.signals [1] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %rank = tile.rank
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [2] {
        // expected-note @below {{the other use is here}}
        tile.signal agent %done[%zero] to %rank : !tile.signals<1>
        // expected-error @below {{counts in words that something else uses, expected a grid of signals for arrivals alone}}
        %last, %all = tile.arrive %done[%zero] of %two : !tile.signals<1>
        scf.if %last {
        }
      }
    }
  }
}

// -----

tile.program @no_word() {
  // expected-note @below {{the grid is declared here}}
  %done = tile.signals [2] : !tile.signals<1>
  %two = arith.constant 2 : index
  tile.kernel @k {
    tile.role @r {
      tile.forall (%i) in [2] {
        // expected-error @below {{signal index 2 in dimension 0 is out of range}}
        %last, %all = tile.arrive %done[%two] of %two : !tile.signals<1>
        scf.if %last {
        }
      }
    }
  }
}
