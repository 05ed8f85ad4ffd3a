// What neither C++ nor the library has is an error at its place.
// RUN: not tilec %s --world 1 --target gfx942 -o %t 2>&1 | FileCheck %s

tile.program @sines<%M>(%a: memref<?x64xf32>) extents [%a: %M, 64] {
  tile.forall (%m, %n) over %a tiles [16, 64] : memref<?x64xf32> {
    %x = tile.load %a[%m, %n] tile [16, 64] : memref<?x64xf32> -> tensor<16x64xf32>
    // CHECK: no-spelling.mlir:[[#@LINE+1]]:{{.*}} error: 'math.tan' op has no spelling in HIP
    %y = math.tan %x : tensor<16x64xf32>
    tile.store %y, %a[%m, %n] : tensor<16x64xf32>, memref<?x64xf32>
  }
}
