// c = a * b, all bf16, sums in f32: b lies K x N, as row-major weights do.
tile.program @untransposed<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %K, %N] [%c: %M, %N] {
  tile.matmul %a, %b into %c : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
}
