// Sizes that do not fit each other for all extents, or that no text can count.
// RUN: rm -rf %t && split-file %s %t
// RUN: not tilec %t/uneven.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=UNEVEN
// RUN: tilec verify %t/uneven.mlir --extent M=8
// RUN: not tilec %t/gathered.mlir --world 3 -o %t/out 2>&1 | FileCheck %s --check-prefix=GATHERED
// RUN: not tilec %t/exchanged.mlir --world 3 -o %t/out 2>&1 | FileCheck %s --check-prefix=EXCHANGED
// RUN: not tilec %t/world.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=WORLD
// RUN: not tilec %t/tasks.mlir --world 1 -o %t/out 2>&1 | FileCheck %s --check-prefix=TASKS
// RUN: not tilec %t/fixed.mlir --world 1 --extent M=65536 -o %t/out 2>&1 | FileCheck %s --check-prefix=TASKS
// RUN: not tilec %t/elements.mlir --world 1 -o %t/out 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// RUN: not tilec %t/eighths.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=EIGHTHS
// RUN: not tilec %t/numbers.mlir --world 3 -o %t/out 2>&1 | FileCheck %s --check-prefix=NUMBERS
// RUN: test ! -e %t/out

// UNEVEN: uneven.mlir:2:3: error: 'tile.reduce_scatter' op dimension 0 has size %M, expected W * (%M floordiv W), which is another number for %M=1
// UNEVEN: uneven.mlir:1:{{[0-9]+}}: note: the buffer is declared here; what each rank has can be an extent, and the whole W times it, or a condition may say so: 'where %M mod W == 0'
// GATHERED: error: 'tile.all_gather' op dimension 0 has size %M, expected W * (%M ceildiv 3), which is another number for %M=1
// EXCHANGED: error: 'tile.all_to_all' op dimension 0 has size %M, expected {{.*}}, which is another number for %M=1
// A condition that W does not follow from: the hint was lost, and the number of ranks stood in the place of W.
// EIGHTHS: eighths.mlir:2:3: error: 'tile.all_gather' op dimension 0 has size %M, expected W * (%M floordiv W), which is another number for %M=8
// EIGHTHS: eighths.mlir:1:{{[0-9]+}}: note: {{.*}} or a condition may say so: 'where %M mod W == 0'
// WORLD: world.mlir:1:1: error: world of 99999999999 ranks, expected at most 1024
// TASKS: .mlir:2:3: error: 'tile.forall' op has more tasks than 2147483647
// ELEMENTS: elements.mlir:1:{{[0-9]+}}: error: dimension 0 has 9223372036854775807 elements, expected at most 2147483647

// Numbers, which no extent could be another of: the sentence ended with "for".
// NUMBERS: numbers.mlir:2:3: error: 'tile.all_to_all' op dimension 0 has size 8, expected W * 2, which is another number{{$}}

//--- uneven.mlir
tile.program @uneven<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) world 4 extents [%a: %M, 64] [%b: %M floordiv 4, 64] {
  tile.reduce_scatter %a into %b dim 0 : memref<?x64xf32>, memref<?x64xf32>
}
//--- gathered.mlir
tile.program @gathered<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) extents [%a: %M ceildiv 3, 64] [%b: %M, 64] {
  tile.all_gather %a into %b dim 0 : memref<?x64xf32>, memref<?x64xf32>
}
//--- exchanged.mlir
tile.program @exchanged<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) extents [%a: %M, 64] [%b: %M, 64] {
  tile.all_to_all %a into %b dim 0 : memref<?x64xf32>, memref<?x64xf32>
}
//--- eighths.mlir
tile.program @eighths<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) world 3 extents [%a: %M floordiv W, 64] [%b: %M, 64] where %M mod 8 == 0 {
  tile.all_gather %a into %b dim 0 : memref<?x64xf32>, memref<?x64xf32>
}
//--- world.mlir
tile.program @world(%a: memref<64xf32>, %b: memref<64xf32>) world 99999999999 {
  tile.shift %a into %b by 1 : memref<64xf32>, memref<64xf32>
}
//--- tasks.mlir
tile.program @tasks<%M>(%b: memref<?x64xf32>) extents [%b: %M, 64] {
  tile.forall (%l, %m, %n) in [65536, %M ceildiv 64, 65536] {
    %t = tile.splat 1.0 [64, 64] : tensor<64x64xf32>
    tile.atomic add %t, %b[%m, %n] : tensor<64x64xf32>, memref<?x64xf32>
  }
}
//--- fixed.mlir
tile.program @fixed<%M>(%b: memref<?x64xf32>) extents [%b: %M, 64] {
  tile.forall (%m, %n) in [%M, 65536] {
    %t = tile.splat 1.0 [1, 64] : tensor<1x64xf32>
    tile.atomic add %t, %b[%m, %n] : tensor<1x64xf32>, memref<?x64xf32>
  }
}
//--- elements.mlir
tile.program @elements(%a: memref<9223372036854775807x64xf32>) {
  tile.forall (%m) in [1] {
  }
}

//--- numbers.mlir
tile.program @numbers(%a: memref<8x4xf32, #tile.symmetric>, %b: memref<8x4xf32, #tile.symmetric>) {
  tile.all_to_all %a into %b dim 0 : memref<8x4xf32, #tile.symmetric>, memref<8x4xf32, #tile.symmetric>
}
