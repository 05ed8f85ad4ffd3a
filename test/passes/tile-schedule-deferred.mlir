// The result of a task waits in registers for the next one: which kernels leave theirs, and where it is stored.
// RUN: tilec %S/tile-check-producer.mlir --world 1 --target sm_90a --until=schedule | FileCheck %s
// CHECK: tile.stream %streamed slots 4 ahead 4 empty %empty carries
// CHECK: tile.await_full %full[%slot]
// CHECK-NEXT: tile.dot_async
// CHECK-NEXT: tile.store_deferred[%slot]
// CHECK-NEXT: tile.await_products %{{.*}} left 1
// CHECK: } else {
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: tile.store_deferred{{$}}
// CHECK: %rounded = arith.truncf
// CHECK-NEXT: tile.defer %rounded, %c[%m, %n] through %{{.*}} stored tensor<128x128xbf16, {{.*}}> async : tensor<128x128xbf16, {{.*}}>, memref<?x?xbf16>, memref<128x64xbf16, #tile.shared<8, 1, 8>>
// CHECK-NOT: tile.store %

// Nothing waits for its task in registers that sums have: 64 of a lane beside 128, 16 bits each; 32 bits have no room.
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --param BM=128 --param BN=256 --param BK=64 --until=schedule | FileCheck %s --check-prefix=LARGE
// LARGE: tile.defer {{.*}} async
// RUN: sed 's/%%c: memref<?x?xbf16>/%%c: memref<?x?xf32>/; s/memref<?x?xbf16>$/memref<?x?xf32>/' %source/bench/gpu/matmul.mlir | tilec - --world 1 --target sm_90a --param BM=128 --param BN=256 --param BK=64 --until=schedule | FileCheck %s --check-prefix=NONE
// NONE: tile.stream
// NONE-NOT: defer

// The copy engine stores those from LDS while the waves go on: as many columns at a time as fill a row of LDS that it swizzles, half of one
// where the tile has no more, two copies of half of one where a task stores all of them at once, and not those of rows that are no multiple of 16 bytes.
// RUN: tilec %source/bench/gpu/matmul_fp8.mlir --world 1 --target sm_90a --extent M=4096,N=4096,K=4096 --until=schedule | FileCheck %s --check-prefix=ASYNC
// ASYNC: tile.store_async %{{.*}}, %c[%m, %n] through %{{.*}} stored tensor<128x256xbf16, {{.*}}> : tensor<128x256xbf16, {{.*}}>, memref<{{.*}}xbf16>, memref<2x128x32xbf16, #tile.shared<8, 2, 4>>
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --param BM=128 --param BN=224 --param BK=64 --until=schedule | FileCheck %s --check-prefix=HALF
// HALF: tile.defer {{.*}} async : tensor<128x224xbf16, {{.*}}>, memref<?x?xbf16>, memref<128x32xbf16, #tile.shared<8, 2, 4>>
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --param BM=128 --param BN=224 --param BK=64 --extent N=4092 --until=schedule | FileCheck %s --check-prefix=ODD
// ODD: tile.defer %
// ODD-NOT: async

// Tiles of the transpose wait, too: some rows after the others, of which a wave has 16 columns.
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --param BM=216 --param BN=128 --param BK=64 --schedule=swapped=true --until=schedule | FileCheck %s --check-prefix=TURNED
// TURNED: slots 4 ahead 4
// TURNED: tile.defer %{{.*}}, %c[%m, %n] through %{{.*}} stored tensor<216x128xbf16, {{.*}}> : tensor<216x128xbf16, {{.*}}>, memref<?x?xbf16>, memref<8x128xbf16, #tile.shared<8, 1, 8>>

// Others wait for what a task stores: it is stored there.
// RUN: tilec %examples/06_matmul_reduce_scatter/matmul_reduce_scatter.mlir --world 2 --target sm_90a --pattern sequential-push --until=schedule | FileCheck %s --check-prefix=SIGNALS
// SIGNALS-NOT: defer

// A workgroup with one task at most has no next one: 72 tasks for 132 units. The slots of a loop that short are as many as fit, those of others
// as many as hide the way from memory. With one task more than units results wait as before.
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --param BM=128,BN=128,BK=64 --extent M=1000,N=1144,K=1096 --until=schedule | FileCheck %s --check-prefixes=ALONE,SIX
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --param BM=128,BN=128,BK=64 --extent M=1000,N=1144,K=2048 --until=schedule | FileCheck %s --check-prefixes=ALONE,SIX
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --param BM=128,BN=128,BK=64 --extent M=1000,N=1144,K=2112 --until=schedule | FileCheck %s --check-prefixes=ALONE,FOUR
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --param BM=128,BN=128,BK=64 --extent M=16896,N=128,K=1096 --until=schedule | FileCheck %s --check-prefixes=ALONE,SIX
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --param BM=128,BN=128,BK=64 --extent M=16897,N=128,K=1096 --until=schedule | FileCheck %s --check-prefixes=NEXT,FOUR
// SIX: tile.stream %{{.*}} slots 6 ahead 6
// FOUR: tile.stream %{{.*}} slots 4 ahead 4
// ALONE: tile.rearrange
// ALONE-NOT: defer
// NEXT: tile.defer
// What was given stays.
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --param BM=128,BN=128,BK=64 --schedule=slots=4 --extent M=1000,N=1144,K=1096 --until=schedule | FileCheck %s --check-prefixes=ALONE,FOUR

// The buffer is read in the kernel.
// RUN: tilec %S/tile-schedule-deferred-read.mlir --world 1 --target sm_90a --until=schedule | FileCheck %s --check-prefix=NONE
