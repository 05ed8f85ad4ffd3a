// RUN: for w in 1 3 4; do tilec run %s --world $w --launches 3 --extents-from 7,40,130 --shuffle --memory weak --race || exit 1; done
// RUN: tilec run %s --world 3
// RUN: not tilec run %s --world 4 --extent M=10 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: tilec %s --world 4 --until=specialize | FileCheck %s --check-prefix=SPECIALIZED
// RUN: tilec verify %s --world 3 | FileCheck %s --check-prefix=VERIFIED

// 'dimension 0 has size %M, expected W * (%M floordiv W), which is another number for %M=1': a condition says that W divides M.
// Samples and default extents keep it: 200 is no multiple of 3.
// BROKEN: error: extents break the condition '%M mod W == 0': got %M = 10, W = 4
// SPECIALIZED: extents [%a: %M, 64] [%b: %M floordiv 4, 64] [%c: %M floordiv 4, 64] where %M mod 4 == 0, %N == %M
// VERIFIED: verified
tile.program @divided<%M, %N>(%a: memref<?x64xf32, #tile.symmetric>, %b: memref<?x64xf32>, %c: memref<?x64xf32>)
    extents [%a: %M, 64] [%b: %N floordiv W, 64] [%c: %M ceildiv W, 64] where %M mod W == 0, %N == %M {
  tile.reduce_scatter %a into %b dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32>
  tile.reduce_scatter %a into %c dim 0 : memref<?x64xf32, #tile.symmetric>, memref<?x64xf32>
}
