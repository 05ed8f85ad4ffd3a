// c = a * b^T of fp8 operands.
tile.program @f8_gfx942<%M, %N, %K>(%a: memref<?x?xf8E4M3FNUZ>, %b: memref<?x?xf8E4M3FNUZ>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.matmul %a, transpose %b into %c : memref<?x?xf8E4M3FNUZ>, memref<?x?xf8E4M3FNUZ>, memref<?x?xbf16>
}
