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
