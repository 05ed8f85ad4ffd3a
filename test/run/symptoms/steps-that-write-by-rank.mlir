// RUN: split-file %s %t
// RUN: for w in 2 4; do for p in written read; do tilec verify %t/$p.mlir --world $w || exit 1; done; done
// RUN: for p in written read; do tilec run %t/$p.mlir --world 2 --resident 16 --extent T=3 --race --shuffle --launches 2 || exit 1; done

//--- written.mlir
// The place of a step is the step and a number that another rank has otherwise: two steps of two ranks write one place.
tile.program @shifted<%T>(%a: memref<?x32xf32>, %o: memref<?x32xf32>) extents [%a: %T, 32] [%o: %T, 32] {
  %x = tile.alloc [W + 8, %T, 32] : memref<?x?x32xf32, #tile.symmetric>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %rank = tile.rank
  %world = tile.world_size
  %ahead = arith.addi %rank, %c1 : index
  %next = arith.remui %ahead, %world : index
  tile.forall (%p, %h) in [W + 8, %T] {
    %z = tile.splat 0.0 [32] : tensor<32xf32>
    tile.store %z, %x[%p, %h, %c0] : tensor<32xf32>, memref<?x?x32xf32, #tile.symmetric>
  }
  scf.for %s = %c0 to %c4 step %c1 {
    %at = arith.addi %s, %next : index
    %moved = arith.addi %rank, %s : index
    %to = arith.remui %moved, %world : index
    tile.forall (%h) in [%T] {
      %t = tile.load %a[%h, %c0] tile [32] : memref<?x32xf32> -> tensor<32xf32>
      tile.store %t, %x[%at, %h, %c0] to %to : tensor<32xf32>, memref<?x?x32xf32, #tile.symmetric>
    }
  }
  tile.forall (%h) in [%T] {
    %t = tile.load %x[%c1, %h, %c0] tile [32] : memref<?x?x32xf32, #tile.symmetric> -> tensor<32xf32>
    tile.store %t, %o[%h, %c0] : tensor<32xf32>, memref<?x32xf32>
  }
}

//--- read.mlir
// What a step writes on the next rank is what another step reads there.
tile.program @shifted<%T>(%a: memref<?x32xf32>, %o: memref<?x32xf32>) extents [%a: %T, 32] [%o: %T, 32] {
  %x = tile.alloc [W + 8, %T, 32] : memref<?x?x32xf32, #tile.symmetric>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %rank = tile.rank
  %world = tile.world_size
  %ahead = arith.addi %rank, %c1 : index
  %next = arith.remui %ahead, %world : index
  tile.forall (%p, %h) in [W + 8, %T] {
    %z = tile.splat 0.0 [32] : tensor<32xf32>
    tile.store %z, %x[%p, %h, %c0] : tensor<32xf32>, memref<?x?x32xf32, #tile.symmetric>
  }
  scf.for %s = %c0 to %c4 step %c1 {
    %at = arith.addi %s, %next : index
    tile.forall (%h) in [%T] {
      %t = tile.load %a[%h, %c0] tile [32] : memref<?x32xf32> -> tensor<32xf32>
      tile.store %t, %x[%at, %h, %c0] to %next : tensor<32xf32>, memref<?x?x32xf32, #tile.symmetric>
    }
    tile.forall (%h) in [%T] {
      %t = tile.load %x[%at, %h, %c0] tile [32] : memref<?x?x32xf32, #tile.symmetric> -> tensor<32xf32>
      tile.store %t, %o[%h, %c0] : tensor<32xf32>, memref<?x32xf32>
    }
  }
}
