// RUN: split-file %s %t
// A number that steers a task is read by the waves that fill slots and by those that multiply, each when it comes to the task.
// RUN: tilec %t/task.mlir --world 1 --target sm_90a --until=prepare > %t/ahead.mlir && FileCheck %s --check-prefix=AHEAD --input-file=%t/ahead.mlir
// DEFINE: %{check} = tilec-opt --pass-pipeline='builtin.module(tile.program(tile-check))' -o /dev/null
// RUN: %{check} %t/ahead.mlir
// AHEAD: hip.number
// AHEAD: hip.if_produces
// So nothing in the kernel may write it: here each task does, as if its own number were where its store goes.
// RUN: sed '/hip.view %%counts_0/{s/%%counts_0/%%done_4/;s/true/false/}' %t/ahead.mlir > %t/written.mlir && not cmp -s %t/ahead.mlir %t/written.mlir
// RUN: not %{check} %t/written.mlir 2>&1 | FileCheck %s --check-prefix=WRITTEN
// WRITTEN: error: 'hip.number' op is read by producers and consumers, expected that nothing in the kernel writes the buffer
// WRITTEN: note: it is written here
// Where the program has it so, or waits for the number in the task, no wave runs ahead.
// RUN: sed 's/tile.read %%counts/tile.read %%done/' %t/task.mlir > %t/own.mlir && tilec %t/own.mlir --world 1 --target sm_90a --emit=hip | FileCheck %s --check-prefix=NONE
// RUN: tilec %t/made.mlir --world 1 --target sm_90a --pattern sequential --emit=hip | FileCheck %s --check-prefix=NONE
// NONE: tilec::number(
// NONE-NOT: role.produces
// Tasks whose steps are data are drawn, not dealt by number: one workgroup could get all of the long ones.
// RUN: tilec %t/task.mlir --world 1 --target sm_90a --emit=hip | FileCheck %s --check-prefix=DRAWN
// DRAWN: task = tilec::next(launch, 0, tickets)

//--- task.mlir
tile.program @task<%M, %N, %K>(%counts: memref<?x?xi32>, %a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>, %done: memref<?x?xi32>)
    extents [%counts: %M ceildiv 128, %N ceildiv 128] [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] [%done: %M ceildiv 128, %N ceildiv 128] {
  tile.forall (%m, %n) in [%M ceildiv 128, %N ceildiv 128] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %most = tile.extent [%K ceildiv 64]
    %steps = tile.read %counts[%m, %n] upto %most : memref<?x?xi32>
    %zero = tile.splat 0.0 [128, 128] : tensor<128x128xf32>
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%s = %zero) -> tensor<128x128xf32> {
      %x = tile.load %a[%m, %k] tile [128, 64] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] tile [128, 64] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %next = tile.dot %x, transpose %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %out, %c[%m, %n] : tensor<128x128xbf16>, memref<?x?xbf16>
    %one = tile.splat 1 [1, 1] : tensor<1x1xi32>
    tile.store %one, %done[%m, %n] : tensor<1x1xi32>, memref<?x?xi32>
  }
}

//--- made.mlir
tile.program @made<%M, %N, %K>(%some: memref<?xi32>, %a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%some: 1] [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  %counts = tile.alloc [1] : memref<1xi32>
  tile.forall (%i) in [1] {
    %t = tile.load %some[%i] tile [1] : memref<?xi32> -> tensor<1xi32>
    %twice = arith.addi %t, %t : tensor<1xi32>
    tile.store %twice, %counts[%i] : tensor<1xi32>, memref<1xi32>
  }
  tile.matmul %a, transpose %b into %c rows %counts : memref<1xi32> tiles [128, 128, 64] : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
}
