// c = a * b, all bf16, sums in f32: a right operand that lies K x N, as torch has it where nobody transposed it.
tile.program @matmul<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %K, %N] [%c: %M, %N] {
  tile.matmul %a, %b into %c : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
}
