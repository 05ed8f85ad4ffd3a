// What HIP text cannot say is rejected by the exit dialect.
// RUN: tilec-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{says of 0 arguments whether they are restricted, expected 1}}
hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1>} {
^bb0(%context: !hip.context):
}

// -----

// expected-error @below {{has workgroups of 2048 threads, expected 1 to 1024}}
hip.kernel @k attributes {threads = 2048 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>} {
^bb0(%context: !hip.context):
}

// -----

hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>} {
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

hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>} {
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

hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>} {
^bb0(%context: !hip.context):
  // expected-note @below {{because of this}}
  %launch = hip.enter %context : (!hip.context) -> !hip.launch
  %zero = arith.constant 0 : index
  %grid = hip.signals %context, %zero, %zero {rank = 1 : i64} : (!hip.context, index, index) -> !hip.signals<1>
  // expected-error @below {{is not published at scope system}}
  hip.set %launch, %grid, %zero, %zero {scope = #tile<scope system>} : (!hip.launch, !hip.signals<1>, index, index) -> ()
}

// -----

hip.kernel @k attributes {threads = 64 : i64, shared_bytes = 64 : i64, restricted = array<i1: false>} {
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
