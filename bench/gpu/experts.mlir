// y = x * w^T for each of some experts, all bf16, sums in f32.
tile.program @experts<%E, %M, %N, %K>(%x: memref<?x?x?xbf16>, %w: memref<?x?x?xbf16>, %y: memref<?x?x?xbf16>)
    extents [%x: %E, %M, %K] [%w: %E, %N, %K] [%y: %E, %M, %N] {
  tile.matmul %x, transpose %w into %y : memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xbf16>
}
