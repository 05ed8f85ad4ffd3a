// RUN: tilec-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-check))'

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
tile.program @never_leaves() world 1 attributes {verified = #tile.verified<launches = 3, samples = [[]]>} {
  // expected-error @+1 {{'hip.kernel' op has no last workgroup that leaves, expected a 'hip.group' of turn 'last'}}
  hip.kernel @k attributes {restricted = array<i1: false>, sources = array<i64: 0>, shared_bytes = 64 : i64, threads = 256 : i64} {
  ^bb0(%context: !hip.context):
    %launch = hip.enter %context : (!hip.context) -> !hip.launch
  }
  hip.launcher @launch attributes {num_extents = 0 : i64, num_pointers = 0 : i64, peers = [], scopes = []} {
  ^bb0(%context: !hip.context, %scratch: !hip.pointer<none, false>):
    hip.launch_kernel @k threads 256 shared 64(%context) : !hip.context
  }
}

// -----

tile.program @early() world 1 attributes {verified = #tile.verified<launches = 3, samples = [[]]>} {
  hip.kernel @k attributes {restricted = array<i1: false>, sources = array<i64: 0>, shared_bytes = 64 : i64, threads = 256 : i64} {
  ^bb0(%context: !hip.context):
    %launch = hip.enter %context : (!hip.context) -> !hip.launch
    hip.group last %launch releases agent {
      // expected-error @+1 {{'hip.leave' op advances the epoch, expected that in the last kernel of the launch alone}}
      hip.leave %launch {advance = true} : (!hip.launch) -> ()
    }
  }
  hip.kernel @second attributes {restricted = array<i1: false>, sources = array<i64: 0>, shared_bytes = 64 : i64, threads = 256 : i64} {
  ^bb0(%context: !hip.context):
    %launch = hip.enter %context : (!hip.context) -> !hip.launch
    hip.group last %launch releases agent {
      hip.leave %launch {advance = true} : (!hip.launch) -> ()
    }
  }
  hip.launcher @launch attributes {num_extents = 0 : i64, num_pointers = 0 : i64, peers = [], scopes = []} {
  ^bb0(%context: !hip.context, %scratch: !hip.pointer<none, false>):
    hip.launch_kernel @k threads 256 shared 64(%context) : !hip.context
    hip.launch_kernel @second threads 256 shared 64(%context) : !hip.context
  }
}

// -----

#l = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = [[128], [256]]>
tile.program @no_view(%x: memref<512xf32>) world 1 extents [%x: 512] attributes {verified = #tile.verified<launches = 3, samples = [[]]>} {
  hip.kernel @k attributes {restricted = array<i1: false>, sources = array<i64: 0>, shared_bytes = 64 : i64, threads = 256 : i64} {
  ^bb0(%context: !hip.context):
    %launch = hip.enter %context : (!hip.context) -> !hip.launch
    %zero = arith.constant 0 : index
    hip.group each %launch {
      hip.role @work {
        %v = "test.view"() : () -> !hip.view<f32, 1>
        // expected-error @+1 {{'hip.load' op accesses a value that is no 'hip.view' and no 'hip.view_at'}}
        %t = hip.load %v, %zero {operandSegmentSizes = array<i32: 1, 1, 0>, vector = 2 : i64} : (!hip.view<f32, 1>, index) -> tensor<512xf32, #l>
      }
    }
    hip.group last %launch releases agent {
      hip.leave %launch {advance = true} : (!hip.launch) -> ()
    }
  }
  hip.launcher @launch attributes {num_extents = 0 : i64, num_pointers = 1 : i64, peers = [#tile<peer_use none>], scopes = []} {
  ^bb0(%context: !hip.context, %x_0: !hip.pointer<f32, false>, %scratch: !hip.pointer<none, false>):
    hip.launch_kernel @k threads 256 shared 64(%context) : !hip.context
  }
}

// -----

tile.program @no_signals() world 1 attributes {verified = #tile.verified<launches = 3, samples = [[]]>} {
  hip.kernel @k attributes {restricted = array<i1: false>, sources = array<i64: 0>, shared_bytes = 64 : i64, threads = 256 : i64} {
  ^bb0(%context: !hip.context):
    %launch = hip.enter %context : (!hip.context) -> !hip.launch
    %zero = arith.constant 0 : index
    hip.group each %launch {
      hip.role @work {
        %g = "test.grid"() : () -> !hip.signals<1>
        // expected-error @+1 {{'hip.signal' op names no 'hip.signals'}}
        hip.signal %launch, %g, %zero, %zero {scope = #tile<scope agent>} : (!hip.launch, !hip.signals<1>, index, index) -> ()
      }
    }
    hip.group last %launch releases agent {
      hip.leave %launch {advance = true} : (!hip.launch) -> ()
    }
  }
  hip.launcher @launch attributes {num_extents = 0 : i64, num_pointers = 0 : i64, peers = [], scopes = []} {
  ^bb0(%context: !hip.context, %scratch: !hip.pointer<none, false>):
    hip.launch_kernel @k threads 256 shared 64(%context) : !hip.context
  }
}

// -----

tile.program @outside() world 1 attributes {verified = #tile.verified<launches = 3, samples = [[]]>} {
  hip.kernel @k attributes {restricted = array<i1: false>, sources = array<i64: 0>, shared_bytes = 64 : i64, threads = 256 : i64} {
  ^bb0(%context: !hip.context):
    %launch = hip.enter %context : (!hip.context) -> !hip.launch
    // expected-error @+1 {{'hip.barrier' op stands in the body of its kernel, expected it in a 'hip.role' of a 'hip.group'}}
    hip.barrier : () -> ()
    hip.group last %launch releases agent {
      hip.leave %launch {advance = true} : (!hip.launch) -> ()
    }
  }
  hip.launcher @launch attributes {num_extents = 0 : i64, num_pointers = 0 : i64, peers = [], scopes = []} {
  ^bb0(%context: !hip.context, %scratch: !hip.pointer<none, false>):
    hip.launch_kernel @k threads 256 shared 64(%context) : !hip.context
  }
}

// -----

// Workgroups that tell each other nothing count the launch, once.
tile.program @counted_early() world 1 attributes {verified = #tile.verified<launches = 3, samples = [[]]>} {
  hip.kernel @k attributes {restricted = array<i1: false>, sources = array<i64: 0>, shared_bytes = 64 : i64, threads = 256 : i64} {
  ^bb0(%context: !hip.context):
    // expected-error @+1 {{'hip.count_launch' op advances the epoch, expected that in the last kernel of the launch alone}}
    %launch = hip.count_launch %context {advance = true} : (!hip.context) -> !hip.launch
  }
  hip.kernel @second attributes {restricted = array<i1: false>, sources = array<i64: 0>, shared_bytes = 64 : i64, threads = 256 : i64} {
  ^bb0(%context: !hip.context):
    %launch = hip.count_launch %context {advance = true} : (!hip.context) -> !hip.launch
  }
  hip.launcher @launch attributes {num_extents = 0 : i64, num_pointers = 0 : i64, peers = [], scopes = []} {
  ^bb0(%context: !hip.context, %scratch: !hip.pointer<none, false>):
    hip.launch_kernel @k threads 256 shared 64(%context) : !hip.context
    hip.launch_kernel @second threads 256 shared 64(%context) : !hip.context
  }
}

// -----

tile.program @never_counted() world 1 attributes {verified = #tile.verified<launches = 3, samples = [[]]>} {
  hip.kernel @k attributes {restricted = array<i1: false>, sources = array<i64: 0>, shared_bytes = 64 : i64, threads = 256 : i64} {
  ^bb0(%context: !hip.context):
    // expected-error @+1 {{'hip.count_launch' op does not advance the epoch, expected it in the last kernel of the launch}}
    %launch = hip.count_launch %context {advance = false} : (!hip.context) -> !hip.launch
  }
  hip.launcher @launch attributes {num_extents = 0 : i64, num_pointers = 0 : i64, peers = [], scopes = []} {
  ^bb0(%context: !hip.context, %scratch: !hip.pointer<none, false>):
    hip.launch_kernel @k threads 256 shared 64(%context) : !hip.context
  }
}

// -----

tile.program @counted_and_left() world 1 attributes {verified = #tile.verified<launches = 3, samples = [[]]>} {
  hip.kernel @k attributes {restricted = array<i1: false>, sources = array<i64: 0>, shared_bytes = 64 : i64, threads = 256 : i64} {
  ^bb0(%context: !hip.context):
    // expected-note @+1 {{it is counted here}}
    %launch = hip.count_launch %context {advance = true} : (!hip.context) -> !hip.launch
    // expected-error @+1 {{'hip.group' op stands in a kernel that counts its launch as it begins, expected tasks dealt out by number, no signals, and no copies that launches take in turn}}
    hip.group last %launch releases agent {
      hip.leave %launch {advance = true} : (!hip.launch) -> ()
    }
  }
  hip.launcher @launch attributes {num_extents = 0 : i64, num_pointers = 0 : i64, peers = [], scopes = []} {
  ^bb0(%context: !hip.context, %scratch: !hip.pointer<none, false>):
    hip.launch_kernel @k threads 256 shared 64(%context) : !hip.context
  }
}

// -----

tile.program @counted_again() world 1 attributes {verified = #tile.verified<launches = 3, samples = [[]]>} {
  hip.kernel @k attributes {restricted = array<i1: false>, sources = array<i64: 0>, shared_bytes = 64 : i64, threads = 256 : i64} {
  ^bb0(%context: !hip.context):
    %launch = hip.count_launch %context {advance = true} : (!hip.context) -> !hip.launch
    // expected-error @+1 {{'hip.enter' op enters the launch again, expected one 'hip.enter'}}
    %again = hip.enter %context : (!hip.context) -> !hip.launch
  }
  hip.launcher @launch attributes {num_extents = 0 : i64, num_pointers = 0 : i64, peers = [], scopes = []} {
  ^bb0(%context: !hip.context, %scratch: !hip.pointer<none, false>):
    hip.launch_kernel @k threads 256 shared 64(%context) : !hip.context
  }
}
