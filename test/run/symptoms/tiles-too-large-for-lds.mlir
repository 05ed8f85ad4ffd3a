// The largest choice of a parameter, which is the default, needs more LDS than the target has: the next smaller one is
// taken, said by `explain` and recorded. A size that is given stays, and is an error with the bytes wanted and had.
// RUN: tilec explain %s --world 1 2>&1 | FileCheck %s
// RUN: tilec explain %s --world 1 2>&1 | grep -c remark | FileCheck %s --check-prefix=ONCE
// RUN: tilec %s --world 1 --until=specialize | FileCheck %s --check-prefix=TAKEN
// RUN: tilec %s --world 1 --target gfx950 --until=specialize | FileCheck %s --check-prefix=LARGER
// RUN: tilec %s --world 1 -o %t && FileCheck %s --check-prefix=RECORDED --input-file=%t/crowded.json
// RUN: tilec run %s --world 1 --extents-from 20
// RUN: sed 's/128, 256\]/128, 256] default 256/' %s > %t.mlir
// RUN: tilec %t.mlir --world 1 -o %t 2>&1 | FileCheck %s --check-prefix=DEFAULT
// RUN: not tilec %s --world 1 --param=B=256 -o %t 2>&1 | FileCheck %s --check-prefix=GIVEN

// ONCE: {{^1$}}
// CHECK: remark: parameter 'B' is 128: with 256 the program needs {{[0-9]+}} bytes of LDS, and gfx942 has 65536
// A default that gives way is said without asking, and once.
// DEFAULT: warning: parameter 'B' is 128: with 256 the program needs
// DEFAULT-NOT: parameter 'B'
// TAKEN: parameters = {B = 128 : i64}
// LARGER: parameters = {B = 256 : i64}
// RECORDED: "B": 128
// GIVEN: warning: parameter 'B' is given as 256, with which the program needs {{[0-9]+}} bytes of LDS, and gfx942 has 65536: 128 fits
// GIVEN: error: 'tile.kernel' op needs {{[0-9]+}} bytes of LDS, expected at most 65536 on gfx942
tile.program @crowded<%M, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>) extents [%a: %M, %K] [%b: %M, %K] [%c: %M, %M] {
  tile.param @B in [64, 128, 256]
  %steps = tile.extent [%K ceildiv 256]
  tile.forall (%m, %n) over %c tiles [@B, 32] : memref<?x?xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = tile.splat 0.0 [@B, 32] : tensor<?x32xf32>
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> tensor<?x32xf32> {
      %ta = tile.load %a[%m, %k] tile [@B, 256] : memref<?x?xbf16> -> tensor<?x256xbf16>
      %tb = tile.load %b[%n, %k] tile [32, 256] : memref<?x?xbf16> -> tensor<32x256xbf16>
      %next = tile.dot %ta, transpose %tb, %acc : tensor<?x256xbf16>, tensor<32x256xbf16>, tensor<?x32xf32>
      scf.yield %next : tensor<?x32xf32>
    }
    tile.store %sum, %c[%m, %n] : tensor<?x32xf32>, memref<?x?xf32>
  }
}
