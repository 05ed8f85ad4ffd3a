// c = a * b^T, all bf16, sums in f32: the product that cuBLASLt is measured on.
tile.program @matmul<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.matmul %a, transpose %b into %c : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
}
