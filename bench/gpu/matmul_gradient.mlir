// c = a^T * b, all bf16, sums in f32: the gradient of a layer's weights. The depth, its tokens, runs down the rows of both.
tile.program @matmul<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %K, %M] [%b: %K, %N] [%c: %M, %N] {
  tile.matmul transpose %a, %b into %c : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
}
