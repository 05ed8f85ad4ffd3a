// RUN: tilec-opt %s --split-input-file --verify-diagnostics

// expected-note @below {{declare it in the program, as in 'tile.param @Q in [64, 128]'}}
tile.program @unknown(%a: memref<64xf32>) {
  tile.param @P in [16]
  // expected-error @below {{unknown parameter @Q}}
  tile.forall (%m) in [1] on @Q workgroups { }
}

// -----

tile.program @none(%a: memref<64xf32>) {
  // expected-note @below {{the choices are declared here}}
  tile.param @P in [16, 65537]
  // expected-error @below {{runs on 65537 workgroups by parameter @P, expected 1 to 65536}}
  tile.forall (%m) in [1] on @P workgroups { }
}

// -----

tile.program @both(%a: memref<64xf32>) {
  tile.param @P in [16]
  // expected-error @below {{runs on 8 workgroups and on as many as parameter @P says, expected one of the two}}
  "tile.forall"() <{bounds = affine_map<()[s0] -> (1)>, params = [], workgroups = 8 : i64, workgroups_param = @P, operandSegmentSizes = array<i32: 0, 0>}> ({
  ^bb0(%m: index):
  }) : () -> ()
}

// -----

tile.program @in_a_loop(%a: memref<64xf32>) {
  tile.param @P in [16]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %s = %c0 to %c1 step %c1 {
    // expected-error @below {{runs on workgroups of its own inside a 'scf.for', expected a statement of a 'tile.program' outside of loops}}
    tile.forall (%m) in [1] on @P workgroups { }
  }
}

// -----

tile.program @role(%a: memref<64xf32>) {
  tile.param @P in [16]
  tile.kernel @k {
    // expected-error @below {{expected integer value}}
    tile.role @r on @P workgroups { }
  }
}
