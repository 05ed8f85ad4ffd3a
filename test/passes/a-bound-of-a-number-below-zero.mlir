// A number that is clamped to less than nothing was an error of `run` alone.
// RUN: not tilec verify %s --world 1 2>&1 | FileCheck %s
// CHECK: error: takes a number up to -10: expected 0 or more, with M=40
tile.fragment @two(%x: tensor<?xf32>) {
  %y = arith.addf %x, %x : tensor<?xf32>
  tile.return %y : tensor<?xf32>
}
tile.program @h1<%M>(%q: i64, %a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %e = arith.subi %M, %c50 : index
  %n = tile.clamp %q upto %e : i64
  %steps = tile.extent [%M ceildiv 100]
  scf.for %s = %c0 to %steps step %c1 {
    tile.forall (%m) in [%M ceildiv 24] {
      %t = tile.load %a at (%n) tile [24] : memref<?xf32> -> tensor<24xf32>
      %u = tile.call @two(%t) : (tensor<24xf32>) -> tensor<24xf32>
      %v = tile.call @two(%u) : (tensor<24xf32>) -> tensor<24xf32>
      tile.store %v, %b[%m] : tensor<24xf32>, memref<?xf32>
    }
  }
}
