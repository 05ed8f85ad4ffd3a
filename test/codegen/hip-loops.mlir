// Values that loops carry share a variable with what initialises and updates them; a swap takes a copy of what is assigned first.
// RUN: tilec-opt %s --keep-names --tile-lower --tile-prepare | FileCheck %s

#row = #tile.layout<registers = [[1]], lanes = [[2], [4], [8], [16], [32], [64]], waves = []>

// CHECK-LABEL: hip.kernel @loops_kernel
tile.program @loops<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 1 extents [%a: %M] [%b: %M] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tile.kernel @loops attributes {waves = 1 : i64} {
    tile.role @work {
      tile.forall (%m) in [%M ceildiv 128] {
        %zero = tile.splat 0.0 [128] : tensor<128xf32, #row>
        // The accumulator is one variable: declared by its zero, assigned by the sum.
        // CHECK: hip.splat {{.*}}hip.mutable, hip.name = "sum"
        // CHECK: scf.for
        %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> (tensor<128xf32, #row>) {
          %x = tile.load %a[%m] tile [128] : memref<?xf32> -> tensor<128xf32, #row>
          // CHECK: hip.elementwise {{.*}}hip.assign{{.*}}hip.name = "sum"
          %next = arith.addf %sum, %x : tensor<128xf32, #row>
          scf.yield %next : tensor<128xf32, #row>
        }
        tile.store %sum, %b[%m] : tensor<128xf32, #row>, memref<?xf32>
        // The first is read before it is written; the second is written last.
        // CHECK: scf.for {{.*}} iter_args(%[[P:[^ ]*]] = %{{.*}}, %[[Q:[^ ]*]] =
        // CHECK-NEXT: %[[WAS:.*]] = hip.copy %[[P]]
        // CHECK-NEXT: scf.yield %[[Q]], %[[WAS]]
        %p, %q = scf.for %k = %c0 to %c8 step %c1 iter_args(%p = %c0, %q = %c8) -> (index, index) {
          scf.yield %q, %p : index, index
        }
        tile.store %sum, %b at (%p) : tensor<128xf32, #row>, memref<?xf32>
      }
    }
  }
}
