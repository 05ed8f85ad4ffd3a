// RUN: for t in gfx942 gfx950 sm_90a; do tilec run %s --world 1 --target $t --extents-from 1,24,40 --launches 3 || exit 1; done
// RUN: for t in gfx942 gfx950 sm_90a; do tilec %s --world 1 --target $t --emit=hip > %t.$t.hip || exit 1; done

// Reductions of a row to one element, and the way back, were refused for a reshape that no author wrote, unless the side was a power of two.
tile.program @one<%M>(%a: memref<?xf32>, %b: memref<?xi32>, %sum: memref<?xf32>, %best: memref<?xf32>, %place: memref<?xi32>, %row: memref<?xf32>, %wide: memref<?x?xi32>, %tall: memref<?x?xf32>)
    extents [%a: %M] [%b: %M] [%sum: 1] [%best: 1] [%place: 1] [%row: %M] [%wide: 2, 48] [%tall: 24, 4] {
  %c0 = arith.constant 0 : index
  tile.forall (%t) in [1] {
    %v = tile.load %a[%c0] tile [24] : memref<?xf32> -> tensor<24xf32>
    %n = tile.load %b[%c0] tile [48] : memref<?xi32> -> tensor<48xi32>
    %s = tile.reduce add %v dim 0 : tensor<24xf32> -> tensor<f32>
    %x, %p = tile.arg_reduce maximum %v dim 0 : tensor<24xf32> -> tensor<f32>, tensor<i32>
    %all = tile.reduce xor %n dim 0 : tensor<48xi32> -> tensor<i32>
    %r = tile.broadcast %x dims [] tile [24] : tensor<f32> -> tensor<24xf32>
    %w = tile.broadcast %all dims [] tile [2, 48] : tensor<i32> -> tensor<2x48xi32>
    %h = tile.broadcast %s dims [] tile [24, 4] : tensor<f32> -> tensor<24x4xf32>
    tile.store %s, %sum[%c0] : tensor<f32>, memref<?xf32>
    tile.store %x, %best[%c0] : tensor<f32>, memref<?xf32>
    tile.store %p, %place[%c0] : tensor<i32>, memref<?xi32>
    tile.store %r, %row[%c0] : tensor<24xf32>, memref<?xf32>
    tile.store %w, %wide[%c0, %c0] : tensor<2x48xi32>, memref<?x?xi32>
    tile.store %h, %tall[%c0, %c0] : tensor<24x4xf32>, memref<?x?xf32>
  }
}
