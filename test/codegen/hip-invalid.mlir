// What HIP text cannot say is rejected by the exit dialect.
// RUN: tilec-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{says of 0 arguments whether they are restricted, expected 1}}
hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
}

// -----

// expected-error @below {{has workgroups of 2048 threads, expected 1 to 1024}}
hip.kernel @k attributes {threads = 2048 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
}

// -----

hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
  %launch = hip.enter %context : (!hip.context) -> !hip.launch
  %zero = arith.constant 0 : index
  %grid = hip.signals %context, %zero, %zero {rank = 1 : i64} : (!hip.context, index, index) -> !hip.signals<1>
  hip.publish {scope = #tile<scope system>} : () -> ()
  // expected-note @below {{because of this}}
  hip.barrier : () -> ()
  // expected-error @below {{is not published at scope system}}
  hip.set %launch, %grid, %zero, %zero {scope = #tile<scope system>} : (!hip.launch, !hip.signals<1>, index, index) -> ()
}

// -----

hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
  %launch = hip.enter %context : (!hip.context) -> !hip.launch
  %zero = arith.constant 0 : index
  %grid = hip.signals %context, %zero, %zero {rank = 1 : i64} : (!hip.context, index, index) -> !hip.signals<1>
  // expected-note @below {{because of this}}
  hip.publish {scope = #tile<scope agent>} : () -> ()
  // expected-error @below {{is not published at scope system}}
  hip.set %launch, %grid, %zero, %zero {scope = #tile<scope system>} : (!hip.launch, !hip.signals<1>, index, index) -> ()
}

// -----

hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
  // expected-note @below {{because of this}}
  %launch = hip.enter %context : (!hip.context) -> !hip.launch
  %zero = arith.constant 0 : index
  %grid = hip.signals %context, %zero, %zero {rank = 1 : i64} : (!hip.context, index, index) -> !hip.signals<1>
  // expected-error @below {{is not published at scope system}}
  hip.set %launch, %grid, %zero, %zero {scope = #tile<scope system>} : (!hip.launch, !hip.signals<1>, index, index) -> ()
}

// -----

hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
  %launch = hip.enter %context : (!hip.context) -> !hip.launch
  %zero = arith.constant 0 : index
  %grid = hip.signals %context, %zero, %zero {rank = 1 : i64} : (!hip.context, index, index) -> !hip.signals<1>
  %two = arith.constant 2 : index
  %one = arith.constant 1 : index
  hip.publish {scope = #tile<scope system>} : () -> ()
  scf.for %i = %zero to %two step %one {
    // expected-error @below {{is not published at scope system}}
    hip.set %launch, %grid, %zero, %zero {scope = #tile<scope system>} : (!hip.launch, !hip.signals<1>, index, index) -> ()
    // expected-note @below {{because of this}}
    hip.barrier : () -> ()
  }
}

// -----

// expected-error @below {{says of 0 arguments where they come from, expected 1}}
hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64>} {
^bb0(%context: !hip.context):
}

// -----

hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
  %launch = hip.enter %context : (!hip.context) -> !hip.launch
  // expected-error @below {{of turn 'first' has workgroups, a queue or dealt tasks, expected none: it is one workgroup without tasks}}
  hip.group first %launch on 2 workgroups {
  }
}

// -----

hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
  %launch = hip.enter %context : (!hip.context) -> !hip.launch
  // expected-error @below {{of turn 'each' releases, expected a scope in the group of turn 'last' alone}}
  hip.group each %launch releases agent {
  }
}

// -----

hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
  %launch = hip.enter %context : (!hip.context) -> !hip.launch
  // expected-error @below {{of turn 'last' does not release, expected a scope in the group of turn 'last' alone}}
  hip.group last %launch {
  }
}

// -----

hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
  %launch = hip.enter %context : (!hip.context) -> !hip.launch
  // expected-error @below {{has a queue and no tasks to draw, expected a queue where tasks are drawn}}
  hip.group each %launch queue 0 {
  }
}

// -----

hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
  %launch = hip.enter %context : (!hip.context) -> !hip.launch
  %one = arith.constant 1 : index
  // expected-error @below {{has tasks and no queue, expected a queue where tasks are drawn}}
  hip.group each %launch {
    hip.role @work {
      hip.tasks below %one {
      ^bb0(%task: index):
      }
    }
  }
}

// -----

hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
  %launch = hip.enter %context : (!hip.context) -> !hip.launch
  hip.group each %launch {
    // expected-error @below {{stands in a 'hip.group', expected it in a 'hip.role'}}
    hip.barrier : () -> ()
  }
}

// -----

hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
  %launch = hip.enter %context : (!hip.context) -> !hip.launch
  hip.group last %launch releases agent {
    // expected-error @below {{stands in a 'hip.group', expected it in a 'hip.role', or one 'hip.leave' at the end}}
    hip.leave %launch {advance = true} : (!hip.launch) -> ()
    hip.leave %launch {advance = true} : (!hip.launch) -> ()
  }
}

// -----

hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
  %launch = hip.enter %context : (!hip.context) -> !hip.launch
  // expected-error @below {{does not leave the launch, expected a 'hip.leave' at its end}}
  hip.group last %launch releases agent {
  }
}

// -----

hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
  %one = arith.constant 1 : index
  // expected-error @below {{expects parent op to be one of 'hip.role, hip.by_role'}}
  hip.tasks below %one {
  ^bb0(%task: index):
  }
}

// -----

hip.kernel @k attributes {threads = 160 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
  %launch = hip.enter %context : (!hip.context) -> !hip.launch
  // expected-note @below {{the waves part here}}
  hip.by_role consumers 4 {
  ^bb0(%role: !hip.wave_role):
    // expected-error @below {{'hip.barrier' op stands in a 'hip.by_role' of a kernel, expected groups of turn 'each' there}}
    hip.barrier : () -> ()
  }
}

// -----

hip.kernel @k attributes {threads = 160 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
  %launch = hip.enter %context : (!hip.context) -> !hip.launch
  // expected-note @below {{the waves part here}}
  hip.by_role consumers 4 {
  ^bb0(%role: !hip.wave_role):
    // expected-error @below {{'hip.group' op stands in a 'hip.by_role' of a kernel, expected groups of turn 'each' there}}
    hip.group first %launch {
    }
  }
}

// -----

hip.kernel @k attributes {threads = 160 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
  %launch = hip.enter %context : (!hip.context) -> !hip.launch
  hip.group each %launch {
    hip.role @work {
      hip.by_role consumers 4 {
      ^bb0(%role: !hip.wave_role):
        // expected-error @below {{stands within another group, expected it in a kernel or in a 'hip.by_role' of one}}
        hip.group each %launch {
        }
      }
    }
  }
}

// -----

hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>, sources = array<i64: 0>} {
^bb0(%context: !hip.context):
  %launch = hip.enter %context : (!hip.context) -> !hip.launch
  %zero = arith.constant 0 : index
  %grid = hip.signals %context, %zero, %zero {rank = 1 : i64} : (!hip.context, index, index) -> !hip.signals<1>
  hip.publish {scope = #tile<scope system>} : () -> ()
  // expected-error @below {{'hip.set' op is by other threads than the 'hip.publish' before it, expected the same participants}}
  hip.set %launch, %grid, %zero, %zero {participants = #tile<participants wave>, scope = #tile<scope system>} : (!hip.launch, !hip.signals<1>, index, index) -> ()
}
