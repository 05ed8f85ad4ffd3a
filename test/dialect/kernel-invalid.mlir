// RUN: tilec-opt %s --split-input-file --verify-diagnostics

tile.program @only_roles() {
  tile.kernel @k {
    // expected-error @below {{'tile.rank' op is in a 'tile.kernel', expected only 'tile.role' there}}
    %rank = tile.rank
  }
}

// -----

tile.program @role_names() {
  tile.kernel @k {
    // expected-note @below {{the other role is here}}
    tile.role @r {}
    // expected-error @below {{'tile.role' op has the name of another role of this kernel}}
    tile.role @r {}
  }
}

// -----

tile.program @workgroups() {
  tile.kernel @k {
    // expected-error @below {{'tile.role' op runs on 0 workgroups, expected 1 to 65536}}
    tile.role @r on 0 workgroups {}
  }
}

// -----

tile.program @more_workgroups_than_any_device_has() {
  tile.kernel @k {
    // expected-error @below {{'tile.role' op runs on 1000000000000 workgroups, expected 1 to 65536}}
    tile.role @r on 1000000000000 workgroups {}
  }
}

// -----

tile.program @no_waves() {
  // expected-error @below {{'tile.kernel' op has 0 waves, expected a power of two up to 16}}
  tile.kernel @k attributes {waves = 0 : i64} {
  }
}

// -----

tile.program @waves_below_zero() {
  // expected-error @below {{'tile.kernel' op has -1 waves, expected a power of two up to 16}}
  tile.kernel @k attributes {waves = -1 : i64} {
  }
}

// -----

tile.program @three_waves() {
  // expected-error @below {{'tile.kernel' op has 3 waves, expected a power of two up to 16}}
  tile.kernel @k attributes {waves = 3 : i64} {
  }
}

// -----

tile.program @more_threads_than_a_workgroup_has() {
  // expected-error @below {{'tile.kernel' op has 32 waves, expected a power of two up to 16}}
  tile.kernel @k attributes {waves = 32 : i64} {
  }
}

// -----

// Times 64 threads that is 0 in 64 bits.
tile.program @waves_that_wrap() {
  // expected-error @below {{'tile.kernel' op has 1152921504606846976 waves, expected a power of two up to 16}}
  tile.kernel @k attributes {waves = 1152921504606846976 : i64} {
  }
}

// -----

tile.program @once() {
  tile.kernel @k {
    // expected-error @below {{'tile.role' op runs once and cannot have workgroups of its own}}
    "tile.role"() <{sym_name = "r", turn = #tile<turn last>, workgroups = 4 : i64}> ({
    ^bb0:
    }) : () -> ()
  }
}

// -----

tile.program @once_without_tasks() {
  tile.kernel @k {
    // expected-error @below {{'tile.role' op runs once and cannot have tasks}}
    tile.role @r first {
      tile.forall (%m) in [4] {}
    }
  }
}

// -----

tile.program @signals_sizes() {
  // expected-error @below {{'tile.signals' op has 1 sizes, expected 2 as in '!tile.signals<2>'}}
  %s = tile.signals [4] : !tile.signals<2>
}

// -----

tile.program @signals_negative() {
  // expected-error @below {{'tile.signals' op grid size -4, expected 0 or more}}
  %s = tile.signals [4 - 8] : !tile.signals<1>
}

// -----

tile.program @indices() {
  %s = tile.signals [4] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @r {
      // expected-error @below {{'tile.signal' op has 2 indices, expected 1 as in '!tile.signals<1>'}}
      tile.signal system %s[%zero, %zero] to %zero : !tile.signals<1>
    }
  }
}

// -----

tile.program @index_range() {
  // expected-note @below {{the grid is declared here}}
  %s = tile.signals [4] : !tile.signals<1>
  %four = arith.constant 4 : index
  tile.kernel @k {
    tile.role @r {
      // expected-error @below {{'tile.wait' op signal index 4 in dimension 0 is out of range}}
      %t = tile.wait system %s[%four] : !tile.signals<1>
    }
  }
}

// -----

// expected-note @below {{ranks are counted from 0; the world is set here}}
tile.program @signal_rank() world 2 {
  %s = tile.signals [4] : !tile.signals<1>
  // expected-note @below {{the rank is this constant}}
  %two = arith.constant 2 : index
  tile.kernel @k {
    tile.role @r {
      // expected-error @below {{'tile.signal' op addresses rank 2 of a world of 2}}
      tile.signal system %s[%two] to %two : !tile.signals<1>
    }
  }
}

// -----

tile.program @publish() {
  %s = tile.signals [4] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @r {
      // expected-note @below {{the wait is here}}
      %t = tile.wait system %s[%zero] : !tile.signals<1>
      // expected-error @below {{'tile.signal' op publishes a wait, expected the tokens of stores}}
      tile.signal system %s[%zero] to %zero publishes %t : !tile.signals<1>
    }
  }
}

// -----

tile.program @counts() {
  %s = tile.signals [4, 4] : !tile.signals<2>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @r {
      // expected-error @below {{'tile.wait' op has 1 counts, expected 2}}
      %t = tile.wait system %s[%zero, %zero] count [%zero] : !tile.signals<2>
    }
  }
}

// -----

tile.program @lag() {
  %s = tile.signals [4] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @r {
      // expected-error @below {{'tile.wait' op lag -1, expected 0 to 64}}
      %t = tile.wait system %s[%zero] lag -1 : !tile.signals<1>
    }
  }
}

// -----

// In 32 bits a lag of 2.
tile.program @lag_that_wraps() {
  %s = tile.signals [4] : !tile.signals<1>
  %zero = arith.constant 0 : index
  tile.kernel @k {
    tile.role @r {
      // expected-error @below {{'tile.wait' op lag 4294967298, expected 0 to 64}}
      %t = tile.wait system %s[%zero] lag 4294967298 : !tile.signals<1>
    }
  }
}

// -----

tile.program @negative_count() {
  %s = tile.signals [4] : !tile.signals<1>
  %zero = arith.constant 0 : index
  %less = arith.constant -1 : index
  tile.kernel @k {
    tile.role @r {
      // expected-error @below {{'tile.wait' op waits for -1 signals, expected 0 or more}}
      %t = tile.wait system %s[%zero] count [%less] : !tile.signals<1>
    }
  }
}

// -----

tile.program @shared_space() {
  tile.kernel @k {
    tile.role @r {
      // expected-error @below {{'tile.shared_buffer' op has type 'memref<4xf32>', expected memory space #tile.shared}}
      %x = tile.shared_buffer : memref<4xf32>
    }
  }
}

// -----

tile.program @shared_shape() {
  tile.kernel @k {
    tile.role @r {
      // expected-error @below {{'tile.shared_buffer' op has type 'memref<?xf32, #tile.shared<1, 1, 1>>', expected a static, contiguous shape}}
      %x = tile.shared_buffer : memref<?xf32, #tile.shared<1, 1, 1>>
    }
  }
}

// -----

tile.program @shared_offset() {
  tile.kernel @k {
    tile.role @r {
      // expected-error @below {{'tile.shared_buffer' op lies at offset -4, expected 0 or more}}
      %x = tile.shared_buffer at -4 : memref<4xf32, #tile.shared<1, 1, 1>>
    }
  }
}

// -----

tile.program @shared_load_from_memory(%a: memref<4xf32>) {
  tile.kernel @k {
    tile.role @r {
      // expected-error @below {{'tile.shared_load' op addresses 'memref<4xf32>', expected a buffer in LDS}}
      %t = tile.shared_load %a : memref<4xf32> -> tensor<4xf32>
    }
  }
}

// -----

tile.program @shared_store_shape() {
  tile.kernel @k {
    tile.role @r {
      %x = tile.shared_buffer : memref<2x4xf32, #tile.shared<1, 1, 1>>
      %t = tile.splat 0.0 [4] : tensor<4xf32>
      // expected-error @below {{'tile.shared_store' op moves 'tensor<4xf32>' and 'memref<2x4xf32, #tile.shared<1, 1, 1>>', expected one shape and element type}}
      tile.shared_store %t, %x : tensor<4xf32>, memref<2x4xf32, #tile.shared<1, 1, 1>>
    }
  }
}

// -----

tile.program @shared_load_transposed() {
  tile.kernel @k {
    tile.role @r {
      %x = tile.shared_buffer : memref<4x8xf32, #tile.shared<1, 1, 1>>
      // expected-error @below {{'tile.shared_load' op moves 'tensor<4x8xf32>' and 'memref<4x8xf32, #tile.shared<1, 1, 1>>', expected one shape and element type}}
      %t = tile.shared_load transposed %x : memref<4x8xf32, #tile.shared<1, 1, 1>> -> tensor<4x8xf32>
    }
  }
}

// -----

tile.program @shared_store_transposed() {
  tile.kernel @k {
    tile.role @r {
      %x = tile.shared_buffer : memref<4xf32, #tile.shared<1, 1, 1>>
      %t = tile.splat 0.0 [4] : tensor<4xf32>
      // expected-error @below {{'tile.shared_store' op transposes 'tensor<4xf32>', expected two dimensions}}
      tile.shared_store %t, transposed %x : tensor<4xf32>, memref<4xf32, #tile.shared<1, 1, 1>>
    }
  }
}

// -----

tile.program @convert() {
  tile.kernel @k {
    tile.role @r {
      %t = tile.splat 0.0 [4] : tensor<4xf32>
      // expected-error @below {{'tile.convert' op turns 'tensor<4xf32>' into 'tensor<8xf32>', expected a change of layout alone}}
      %u = tile.convert %t : tensor<4xf32> -> tensor<8xf32>
    }
  }
}

// -----

#pairs = #tile.layout<registers = [[0, 1]], lanes = [[1, 0]], waves = []>
#run = #tile.layout<registers = [[1], [2]], lanes = [], waves = []>
tile.program @relabel() {
  tile.kernel @k {
    tile.role @r {
      %t = tile.splat 0.0 [2, 2] : tensor<2x2xf32, #pairs>
      // expected-error @below {{'tile.relabel' op relabels 'tensor<2x2xf32, #tile.layout<registers = [[0, 1]], lanes = [[1, 0]], waves = []>>' as 'tensor<4xf32, #tile.layout<registers = [[1], [2]], lanes = [], waves = []>>', expected layouts of as many registers, lanes and waves, and one element type}}
      %u = tile.relabel %t : tensor<2x2xf32, #pairs> -> tensor<4xf32, #run>
    }
  }
}

// -----

tile.program @scratch() {
  tile.kernel @k {
    tile.role @r {
      %x = tile.shared_buffer : memref<4xf32, #tile.shared<1, 1, 1>>
      %t = tile.splat 0.0 [4, 4] : tensor<4x4xf32>
      // expected-error @below {{'tile.reduce' op has scratch of type 'memref<4xf32, #tile.shared<1, 1, 1>>', expected partial results of type 'tensor<4xf32>' in LDS}}
      %u = "tile.reduce"(%t, %x) <{dim = 1 : i64, kind = #tile<reduction add>}> : (tensor<4x4xf32>, memref<4xf32, #tile.shared<1, 1, 1>>) -> tensor<4xf32>
    }
  }
}

// -----

tile.program @four_waves_signal() {
  %s = tile.signals [1] : !tile.signals<1>
  %rank = tile.rank
  // expected-note @below {{the kernel has 4 waves}}
  tile.kernel @k attributes {waves = 4} {
    tile.role @r {
      // expected-error @below {{'tile.signal' op by wave would be raised before the other waves have stored, expected a kernel with 'waves = 1'}}
      tile.signal agent by wave %s[%rank] to %rank : !tile.signals<1>
    }
  }
}

// -----

tile.program @any_waves_signal() {
  %s = tile.signals [1] : !tile.signals<1>
  %rank = tile.rank
  // expected-note @below {{the kernel has any number of waves}}
  tile.kernel @k {
    tile.role @r {
      // expected-error @below {{'tile.signal' op by wave would be raised before the other waves have stored, expected a kernel with 'waves = 1'}}
      tile.signal agent by wave %s[%rank] to %rank : !tile.signals<1>
    }
  }
}

// -----

tile.program @unknown_participants() {
  %s = tile.signals [1] : !tile.signals<1>
  %rank = tile.rank
  tile.kernel @k attributes {waves = 1} {
    tile.role @r {
      // expected-error @below {{custom op 'tile.wait' expected workgroup or wave, got 'lane'}}
      %t = tile.wait agent by lane %s[%rank] : !tile.signals<1>
    }
  }
}

// -----

// The enum as a string: no spelling that works was shown.
tile.program @spelled(%a: memref<256xf32>) {
  // expected-error @below {{attribute 'dealing' failed to satisfy constraint: how the tasks of a kernel come to its workgroups: '#tile<dealing ticketed>', '#tile<dealing strided>'}}
  tile.kernel @k attributes {dealing = "strided"} {
  }
}

// -----

tile.program @dealt(%a: memref<256xf32>) {
  // expected-error @below {{has 2 groups of workgroups and 2 tile loops, expected at most one of each where tasks are 'strided'}}
  tile.kernel @k attributes {dealing = #tile<dealing strided>} {
    tile.role @own on 2 workgroups {
      tile.forall (%i) in [4] {
      }
    }
    tile.role @pool {
      tile.forall (%i) in [4] {
      }
    }
  }
}

// -----

tile.program @p() {
  // expected-error @below {{'tile.kernel' op has 16 waves and 4 of a producer, expected at most 16 in all}}
  tile.kernel @k attributes {producer = #tile.producer<waves = 4, registers = 0, consumers = 0>, waves = 16} {
  }
}

// -----

tile.program @beside() {
  tile.kernel @k {
    // expected-error @below {{'tile.role' op stands beside the others of its workgroup, expected a kernel with a producer and no workgroups or turn of its own}}
    tile.role @r attributes {beside} {}
  }
}

// -----

tile.program @pairs_of_tickets() {
  // expected-error @below {{'tile.kernel' op has pairs of workgroups, expected tasks that are dealt out by number, and a producer}}
  tile.kernel @k attributes {pairs, waves = 8 : i64} {
  }
}
