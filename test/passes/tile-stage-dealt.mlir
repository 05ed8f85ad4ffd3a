// Tasks that reduce rows within waves, and whose waves meet nowhere, are dealt out by number where the target gains by it.
// RUN: tilec %examples/18_kernels/layer_norm.mlir --world 1 --target sm_90a --until=stage | FileCheck %s --check-prefix=DEALT
// RUN: tilec %examples/18_kernels/layer_norm.mlir --world 1 --target sm_90a --emit=hip | FileCheck %s --check-prefix=TEXT
// DEALT: tile.kernel @layer_norm attributes {dealing = #tile<dealing strided>
// DEALT-NOT: tile.barrier
// TEXT: tilec::Launch launch = tilec::count_launch(context, /*advance=*/true);
// TEXT: task = tilec::strided(launch, 0)
// TEXT-NOT: tilec::leave

// Not where nobody has measured it.
// RUN: tilec %examples/18_kernels/layer_norm.mlir --world 1 --target gfx942 --until=stage | FileCheck %s --check-prefix=DRAWN
// RUN: tilec %examples/18_kernels/layer_norm.mlir --world 1 --target gfx950 --until=stage | FileCheck %s --check-prefix=DRAWN

// Waves that share rows meet in their reductions; tasks that reduce nothing gain nothing.
// RUN: tilec %examples/18_kernels/softmax.mlir --world 1 --target sm_90a --until=stage | FileCheck %s --check-prefix=DRAWN
// RUN: tilec %source/test/run/workloads/rms-norm.mlir --world 1 --target sm_90a --until=stage | FileCheck %s --check-prefix=DRAWN
// RUN: tilec %examples/18_kernels/elementwise.mlir --world 1 --target sm_90a --until=stage | FileCheck %s --check-prefix=DRAWN
// RUN: tilec %examples/18_kernels/transpose.mlir --world 1 --target sm_90a --until=stage | FileCheck %s --check-prefix=DRAWN
// DRAWN: tile.kernel @
// DRAWN-NOT: strided

// A task for each unit needs no ticket, whatever its waves do: the kernel counts its launch. Unless tickets are asked for.
// RUN: tilec %source/bench/gpu/decode.mlir --world 1 --target sm_90a --param SPLITS=11 --extent H=12,T=8192 --emit=hip | FileCheck %s --check-prefix=ONE
// ONE: tilec::count_launch(context, /*advance=*/true)
// ONE: tilec::strided(launch, 0); task < 132
// RUN: tilec %source/bench/gpu/decode.mlir --world 1 --target sm_90a --param SPLITS=11 --extent H=12,T=8192 --schedule=dealing=ticketed --until=stage | FileCheck %s --check-prefix=DRAWN
// RUN: tilec %source/bench/gpu/decode.mlir --world 1 --target sm_90a --param SPLITS=11 --extent H=13,T=8192 --until=stage | FileCheck %s --check-prefix=DRAWN

// The kernels below differ in one thing from the first, whose tasks are dealt out.
// RUN: split-file %s %t
// RUN: tilec %t/sums.mlir --target sm_90a --until=stage | FileCheck %s --check-prefix=SUMS
// SUMS: tile.kernel @sums attributes {dealing = #tile<dealing strided>
// One wave meets nobody.
// RUN: sed 's/@sums {/@sums attributes {waves = 1 : i64} {/' %t/sums.mlir | tilec - --target sm_90a --until=stage | FileCheck %s --check-prefix=DRAWN
// A second loop over tasks, of another role.
// RUN: tilec %t/roles.mlir --target sm_90a --until=stage | FileCheck %s --check-prefix=DRAWN
// Tasks that tell others that they are done.
// RUN: tilec %t/signals.mlir --target sm_90a --until=stage | FileCheck %s --check-prefix=DRAWN
// Waves that meet between two accesses to one place.
// RUN: tilec %t/meets.mlir --target sm_90a --until=stage | FileCheck %s --check-prefix=DRAWN

//--- sums.mlir
tile.program @sums<%M>(%x: memref<?x256xf32>, %y: memref<?xf32>) world 1 extents [%x: %M, 256] [%y: %M] {
  tile.kernel @sums {
    tile.role @rows {
      tile.forall (%m) in [%M ceildiv 8] {
        %zero = arith.constant 0 : index
        %t = tile.load %x[%m, %zero] tile [8, 256] : memref<?x256xf32> -> tensor<8x256xf32>
        %s = tile.reduce add %t dim 1 : tensor<8x256xf32> -> tensor<8xf32>
        tile.store %s, %y[%m] : tensor<8xf32>, memref<?xf32>
      }
    }
  }
}
//--- roles.mlir
tile.program @roles<%M>(%x: memref<?x256xf32>, %y: memref<?xf32>, %z: memref<?xf32>) world 1 extents [%x: %M, 256] [%y: %M] [%z: %M] {
  tile.kernel @roles {
    tile.role @rows {
      tile.forall (%m) in [%M ceildiv 8] {
        %zero = arith.constant 0 : index
        %t = tile.load %x[%m, %zero] tile [8, 256] : memref<?x256xf32> -> tensor<8x256xf32>
        %s = tile.reduce add %t dim 1 : tensor<8x256xf32> -> tensor<8xf32>
        tile.store %s, %y[%m] : tensor<8xf32>, memref<?xf32>
      }
    }
    tile.role @others {
      tile.forall (%m) in [%M ceildiv 8] {
        %zero = arith.constant 0 : index
        %t = tile.load %x[%m, %zero] tile [8, 256] : memref<?x256xf32> -> tensor<8x256xf32>
        %s = tile.reduce maximum %t dim 1 : tensor<8x256xf32> -> tensor<8xf32>
        tile.store %s, %z[%m] : tensor<8xf32>, memref<?xf32>
      }
    }
  }
}
//--- signals.mlir
tile.program @signals<%M>(%x: memref<?x256xf32>, %y: memref<?xf32>) world 1 extents [%x: %M, 256] [%y: %M] {
  %rank = tile.rank
  %done = tile.signals [%M ceildiv 8] : !tile.signals<1>
  tile.kernel @signals {
    tile.role @rows {
      tile.forall (%m) in [%M ceildiv 8] {
        %zero = arith.constant 0 : index
        %t = tile.load %x[%m, %zero] tile [8, 256] : memref<?x256xf32> -> tensor<8x256xf32>
        %s = tile.reduce add %t dim 1 : tensor<8x256xf32> -> tensor<8xf32>
        %stored = tile.store %s, %y[%m] : tensor<8xf32>, memref<?xf32> -> !tile.token
        tile.signal agent %done[%m] to %rank publishes %stored : !tile.signals<1>
      }
    }
  }
}
//--- meets.mlir
tile.program @meets<%M>(%x: memref<?x256xf32>, %y: memref<?xf32>) world 1 extents [%x: %M, 256] [%y: %M] {
  tile.kernel @meets {
    tile.role @rows {
      tile.forall (%m) in [%M ceildiv 8] {
        %zero = arith.constant 0 : index
        %t = tile.load %x[%m, %zero] tile [8, 256] : memref<?x256xf32> -> tensor<8x256xf32>
        %s = tile.reduce add %t dim 1 : tensor<8x256xf32> -> tensor<8xf32>
        tile.store %t, %x[%m, %zero] : tensor<8x256xf32>, memref<?x256xf32>
        %half = arith.constant 1 : index
        %u = tile.load %x[%m, %half] tile [8, 128] : memref<?x256xf32> -> tensor<8x128xf32>
        %v = tile.reduce add %u dim 1 : tensor<8x128xf32> -> tensor<8xf32>
        %w = arith.addf %s, %v : tensor<8xf32>
        tile.store %w, %y[%m] : tensor<8xf32>, memref<?xf32>
      }
    }
  }
}
