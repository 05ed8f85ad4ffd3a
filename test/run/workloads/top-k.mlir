// RUN: tilec %s --world 1 --target gfx942 --emit=hip > %t.gfx942.hip && %generate --offload-arch=gfx942 %t.gfx942.hip
// RUN: %if full %{ tilec %s --world 1 --target gfx950 --emit=hip > %t.gfx950.hip && %generate --offload-arch=gfx950 %t.gfx950.hip %}
// RUN: for w in $(%some 1 2 4 3); do tilec run %s --world $w --extents-from 7,40 --launches 2 || exit 1; done

// The four largest of each row and where they are, as a router of experts wants them. scores: M x 64, f32; values: M x 4, f32;
// places: M x 4, i32. Each turn takes the maximum, finds the first place that holds it and strikes it out.
tile.program @top_k<%M>(%scores: memref<?x64xf32>, %values: memref<?x4xf32>, %places: memref<?x4xi32>)
    extents [%scores: %M, 64] [%values: %M, 4] [%places: %M, 4] {
  tile.forall (%m) in [%M ceildiv 32] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %all = tile.load %scores[%m, %c0] tile [32, 64] : memref<?x64xf32> -> tensor<32x64xf32>
    %column = tile.iota dim 1 tile [32, 64] : tensor<32x64xi32>
    %beyond = tile.splat 64 [32, 64] : tensor<32x64xi32>
    %low = tile.splat -3.0e38 [32, 64] : tensor<32x64xf32>
    %rest = scf.for %k = %c0 to %c4 step %c1 iter_args(%left = %all) -> tensor<32x64xf32> {
      %max = tile.reduce maximum %left dim 1 : tensor<32x64xf32> -> tensor<32xf32>
      %max_b = tile.broadcast %max dims [0] tile [32, 64] : tensor<32xf32> -> tensor<32x64xf32>
      %is = arith.cmpf oeq, %left, %max_b : tensor<32x64xf32>
      %candidate = arith.select %is, %column, %beyond : tensor<32x64xi1>, tensor<32x64xi32>
      %place = tile.reduce minimum %candidate dim 1 : tensor<32x64xi32> -> tensor<32xi32>
      %place_b = tile.broadcast %place dims [0] tile [32, 64] : tensor<32xi32> -> tensor<32x64xi32>
      %taken = arith.cmpi eq, %column, %place_b : tensor<32x64xi32>
      %struck = arith.select %taken, %low, %left : tensor<32x64xi1>, tensor<32x64xf32>
      %value_column = tile.reshape %max tile [32, 1] : tensor<32xf32> -> tensor<32x1xf32>
      %place_column = tile.reshape %place tile [32, 1] : tensor<32xi32> -> tensor<32x1xi32>
      tile.store %value_column, %values[%m, %k] : tensor<32x1xf32>, memref<?x4xf32>
      tile.store %place_column, %places[%m, %k] : tensor<32x1xi32>, memref<?x4xi32>
      scf.yield %struck : tensor<32x64xf32>
    }
  }
}
